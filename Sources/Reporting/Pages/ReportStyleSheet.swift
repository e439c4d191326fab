/// The style sheet of report and status pages. The pages are complete without it, for servers that forbid styles.
enum ReportStyleSheet {
  // A row is a grid and not a row of a table, because only then a browser leaves out the work for those that are not in
  // view: 10,000 rows load four times as fast. Each color of a state has a contrast of at least 3:1 on its ground and stays apart from the others for readers who
  // see two of the three primary colors.
  static let css: StaticString = """
    :root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--link:#0a58ca;--good:#0B6E99;--mixed:#B26A00;--failed:#A4161A;--none:#8A8F98;--warn:#8a5200}
    @media (prefers-color-scheme:dark){:root{--ground:#111318;--ink:#e6e9ee;--soft:#a3abb6;--line:#363b45;--card:#1b1f27;--link:#8ab4f8;--good:#5BB8E0;--mixed:#F0B04F;--failed:#FF7B72;--none:#7D8590;--warn:#F0B04F}}
    *{box-sizing:border-box}
    body{margin:0 auto;max-width:84rem;padding:1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    a{color:var(--link)}
    a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,summary:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--link);outline-offset:2px}
    h1{font-size:1.7rem;line-height:1.25;margin:0 0 .25rem}
    h2{font-size:1.2rem;margin:2.25rem 0 .75rem}
    p{margin:.5rem 0;max-width:70ch}
    .soft{color:var(--soft)}
    .tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(15rem,100%),1fr));gap:.75rem;margin:1.25rem 0;padding:0;list-style:none}
    .tiles li{border:1px solid var(--line);border-radius:.5rem;background:var(--card);padding:.75rem 1rem}
    .tiles strong{display:block;font-size:1.6rem;line-height:1.3;font-variant-numeric:tabular-nums}
    .tiles svg{display:block;max-width:100%;margin-top:.4rem}
    table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
    caption{text-align:left;color:var(--soft);padding:.25rem 0}
    th,td{padding:.4rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
    thead th{white-space:nowrap;background:var(--card)}
    tbody th{font-weight:500}
    th button{all:unset;cursor:pointer;font-weight:600}
    th button:focus-visible{outline:3px solid var(--link);outline-offset:2px}
    th button::after{content:" \\2195";color:var(--soft)}
    [aria-sort=ascending] button::after{content:" \\2191";color:inherit}
    [aria-sort=descending] button::after{content:" \\2193";color:inherit}
    .number{text-align:right;white-space:nowrap}
    table.small{width:auto}
    .feeds,.feeds caption,.feeds thead,.feeds tbody{display:block}
    .feeds tr{display:grid;grid-template-columns:25fr 10fr 13fr 8fr 17fr 8fr 9fr 10fr}
    .since tr{grid-template-columns:24fr 10fr 13fr 8fr 15fr 8fr 9fr 8fr 10fr}
    .feeds tbody tr{content-visibility:auto;contain-intrinsic-size:auto 2.5rem;border-bottom:1px solid var(--line)}
    .feeds tbody th,.feeds tbody td{border:0}
    .feeds td:nth-child(4),.feeds td:nth-child(n+6),.feeds thead th:nth-child(4),.feeds thead th:nth-child(n+6){text-align:right}
    .wide{overflow-x:auto}
    tr:target{outline:3px solid var(--link);outline-offset:-3px}
    svg path[fill="#0B6E99"],svg rect[fill="#0B6E99"]{fill:var(--good)}
    svg path[fill="#B26A00"]{fill:var(--mixed)}
    svg path[fill="#A4161A"]{fill:var(--failed)}
    svg path[fill="#8A8F98"]{fill:var(--none)}
    svg polyline{stroke:var(--good)}
    .down{color:var(--failed);font-weight:600}
    .degraded{color:var(--warn);font-weight:600}
    .worst{padding-left:1.5rem}
    .worst li{margin:.75rem 0}
    .worst p{margin:.1rem 0}
    @media (min-width:60.01rem){.case{display:grid;grid-template-columns:3fr 6fr 4fr;gap:0 1.5rem;border-bottom:1px solid var(--line);padding-bottom:.5rem}}
    form.filter{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin:.75rem 0}
    form.filter label{display:block;color:var(--soft)}
    input,select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.3rem;padding:.35rem .5rem;max-width:100%}
    [hidden]{display:none!important}
    @media (max-width:60rem){
    body{padding:1rem}
    .feeds thead{border-bottom:1px solid var(--line)}
    .feeds thead tr{display:flex;flex-wrap:wrap}
    .feeds thead th{border:0;padding:.5rem .6rem}
    .feeds tbody tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.5rem,1fr));gap:.1rem .75rem;border-bottom:1px solid var(--line);padding:.6rem 0;contain-intrinsic-size:auto 11rem}
    .feeds tbody th,.feeds tbody td{padding:.1rem 0;text-align:left!important}
    .feeds tbody th,.feeds tbody td:nth-child(5){grid-column:1/-1}
    .feeds td:nth-child(2)::before{content:"Category ";color:var(--soft)}
    .feeds td:nth-child(4)::before{content:"Uptime ";color:var(--soft)}
    .feeds td:nth-child(6)::before{content:"Quality ";color:var(--soft)}
    .feeds td:nth-child(7)::before{content:"Readers ";color:var(--soft)}
    .since td:nth-child(8)::before{content:"Change ";color:var(--soft)}
    .feeds td:last-child::before{content:"Newest item ";color:var(--soft)}
    th,td{padding:.35rem .4rem}
    }
    @media (max-width:26rem){.bars th:last-child,.bars td:last-child{display:none}}
    @media (forced-colors:active){svg path,svg rect{fill:CanvasText!important}svg polyline{stroke:CanvasText}}
    @media print{
    :root{color-scheme:light;--ground:#ffffff;--ink:#000000;--soft:#333333;--card:#ffffff;--good:#0B6E99;--mixed:#B26A00;--failed:#A4161A;--none:#8A8F98;--warn:#8a5200;--link:#000000}
    .feeds tbody tr{content-visibility:visible}
    body{max-width:none;padding:0;font-size:9pt}
    svg{print-color-adjust:exact}
    form.filter{display:none}
    th button::after{content:""}
    tr,.tiles li,.worst li{break-inside:avoid}
    }
    """
}
