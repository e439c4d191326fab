/// The style sheet of all pages: the status page and the console. A page is complete without it, for servers that forbid
/// styles.
///
/// Classes for pages: `tiles` (cards that fill their row), `bar` (what stands in one line above a table, with `details` that
/// unfold), `chip`, `wide` (a region that scrolls) with a table `records`, `stack` (a table whose rows become blocks on a
/// narrow screen; `data-h` names a cell), `number`, `notice`, `panel` (a form of its own), `line` (a form in one line),
/// `danger`, `columns`, `queue` (a list beside one of its items), `done` (a notice with a button), and `down`, `degraded`, `healthy`, `failed`, `soft` for words.
package enum PageStyleSheet {
  // A row of the feeds' table is a grid and not a row of a table, because only then a browser leaves out the work for those
  // that are not in view: 10,000 rows load four times as fast. Each color of a state has a contrast of at least 3:1 on its
  // ground and stays apart from the others for readers who see two of the three primary colors.
  package static let css: StaticString = """
    :root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1f24;--soft:#57606a;--line:#d8dee4;--card:#f6f8fa;--link:#0a58ca;--good:#0B6E99;--mixed:#B26A00;--failed:#A4161A;--none:#8A8F98;--warn:#8a5200}
    @media (prefers-color-scheme:dark){:root{--ground:#111318;--ink:#e6e9ee;--soft:#a3abb6;--line:#2f343d;--card:#1b1f27;--link:#8ab4f8;--good:#5BB8E0;--mixed:#F0B04F;--failed:#FF7B72;--none:#7D8590;--warn:#F0B04F}}
    *{box-sizing:border-box}
    html{scroll-padding-top:3.5rem}
    body{margin:0;background:var(--ground);color:var(--ink);font:.9375rem/1.5 system-ui,sans-serif;overflow-wrap:break-word}
    main,.top{max-width:92rem;margin:0 auto;padding:1rem 1.5rem}
    .top{display:flex;flex-wrap:wrap;gap:.25rem 2rem;align-items:baseline;padding-block:.6rem;border-bottom:1px solid var(--line)}
    .top p{margin:0;max-width:none;overflow-wrap:anywhere}
    .top nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
    .top [aria-current]{color:inherit;font-weight:600;text-decoration:none}
    a{color:var(--link);text-underline-offset:.15em}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    h1{font-size:1.6rem;line-height:1.25;margin:.25rem 0;text-wrap:balance}
    h2{font-size:1.15rem;line-height:1.3;margin:1.75rem 0 .5rem}
    h3{font-size:1rem;line-height:1.4;margin:0}
    h1,h2,h3,summary{overflow-wrap:anywhere}
    p{margin:.5rem 0;max-width:90ch}
    .soft,small{color:var(--soft)}
    small{font-size:.8125rem;font-weight:400}
    h3 small{display:inline-block}
    code,pre{font-family:ui-monospace,monospace;font-size:.92em}
    pre{white-space:pre-wrap;background:var(--card);padding:.75rem}
    [hidden]{display:none!important}
    .down,.failed{color:var(--failed);font-weight:600}
    .degraded{color:var(--warn);font-weight:600}
    .healthy{color:var(--good)}
    .verdict{border-left:.4rem solid var(--none);padding-left:.75rem;color:inherit}
    .verdict.healthy{border-color:var(--good)}
    .verdict.degraded{border-color:var(--mixed)}
    .verdict.down,.danger{border-color:var(--failed)}
    .notice{border-left:.25rem solid var(--mixed);background:var(--card);padding:.25rem 1rem;margin:.75rem 0;max-width:none}
    .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem;margin:1rem 0;padding:0;list-style:none;font-variant-numeric:tabular-nums}
    .tiles li{min-width:0;border:1px solid var(--line);border-radius:.5rem;background:var(--card);padding:.6rem .9rem}
    .tiles strong{display:block;font-size:1.45rem;line-height:1.35}
    .tiles small{display:block}
    .tiles time{white-space:normal}
    .tiles svg{display:block;width:100%;margin:.35rem 0 .1rem}
    .columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(26rem,100%),1fr));gap:0 3rem}
    .columns>*{min-width:0}
    table{border-collapse:collapse;font-size:.875rem;line-height:1.45;font-variant-numeric:tabular-nums}
    caption{text-align:left;color:var(--soft);padding:.25rem 0}
    th,td{padding:.3rem 1.25rem .3rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
    th:last-child,td:last-child{padding-right:0}
    thead th{background:var(--ground);white-space:nowrap;vertical-align:bottom}
    tbody th{font-weight:500}
    .number{text-align:right;white-space:nowrap}
    time{white-space:nowrap}
    th button,.sort{all:unset;cursor:pointer}
    th button:focus-visible,.sort:focus-visible{outline:3px solid var(--link);outline-offset:2px}
    th button::after,.sort::after{content:"\\2195";color:var(--soft);padding-left:.3em;font-weight:400}
    [aria-sort=ascending] :is(button,.sort)::after{content:"\\2191";color:inherit}
    [aria-sort=descending] :is(button,.sort)::after{content:"\\2193";color:inherit}
    tr:target,dt:target{outline:3px solid var(--link);outline-offset:-1px}
    [stroke="#0B6E99"]{stroke:var(--good)}
    [stroke="#B26A00"]{stroke:var(--mixed)}
    [stroke="#A4161A"]{stroke:var(--failed)}
    [stroke="#8A8F98"]{stroke:var(--none)}
    .feeds,.feeds caption,.feeds thead,.feeds tbody{display:block}
    .feeds thead,.feeds tbody{margin-inline:-.4rem}
    .feeds tr{display:grid;grid-template-columns:minmax(0,1fr) 8rem 8rem 5rem 150px 5rem 5.5rem 7rem;gap:0 1.1rem;align-items:baseline;border-bottom:1px solid var(--line);padding:.28rem .4rem}
    .since tr{grid-template-columns:minmax(0,1fr) 8rem 8rem 5rem 150px 5rem 5.5rem 5rem 7rem}
    .feeds th,.feeds td{border:0;padding:0;min-width:0}
    .feeds thead{position:sticky;top:0;z-index:1}
    .feeds thead tr{background:var(--ground);border-bottom:2px solid var(--line)}
    .feeds tbody tr{content-visibility:auto;contain-intrinsic-size:auto 1.85rem}
    .feeds tbody tr:hover{background:var(--card)}
    .feeds td:nth-child(3){color:var(--good)}
    .feeds td:nth-child(3):has(b),.feeds .unknown{color:var(--soft)}
    .feeds :is(th,td):nth-child(4),.feeds :is(th,td):nth-child(n+6){text-align:right}
    .feeds tbody :is(th,td):nth-child(-n+5){overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
    .feeds svg,.case svg{vertical-align:-2px}
    .scale+svg{position:absolute}
    .scale{display:flex;justify-content:space-between;font-weight:400;font-size:.75rem;color:var(--soft)}
    .cause{color:inherit;font-weight:inherit;border:1px solid var(--line);border-left:.25rem solid var(--mixed);border-radius:.4rem;padding:.6rem 1rem;margin:.75rem 0}
    .cause.down{border-left-color:var(--failed)}
    .cause p{margin:.1rem 0}
    .cause ul{list-style:none;padding:0;margin:.4rem 0 0;font-size:.875rem;font-variant-numeric:tabular-nums}
    .case{display:grid;grid-template-columns:minmax(0,1fr) 8rem 8rem 150px;gap:0 1.1rem;align-items:baseline;border-top:1px solid var(--line);padding:.3rem 0}
    .case small{grid-column:1/-1;overflow-wrap:anywhere}
    .wide{overflow:auto;max-height:92vh}
    .wide thead th{position:sticky;top:0;z-index:1;box-shadow:inset 0 -1px var(--line)}
    .wide .number{text-align:right}
    .records{min-width:100%;border-collapse:separate;border-spacing:0}
    .records tbody :is(th,td){max-width:36ch;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
    .records tbody tr:hover>*{background:var(--card)}
    .records :is(th,td):first-child{position:sticky;left:0;z-index:1;background:var(--ground)}
    .records thead th:first-child{z-index:2}
    .records td>a:has(wbr){display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;white-space:normal;min-width:14rem}
    .id{display:inline-block;max-width:11ch;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
    td>.id{user-select:all}
    .records td:last-child{max-width:none}
    .copy{margin:0 0 0 .4rem;padding:0 .4rem;font-size:.85em}
    tr .copy{opacity:0}
    tr:hover .copy,tr .copy:focus-visible{opacity:1}
    @media (hover:none){tr .copy{opacity:1}}
    .bar{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:baseline;margin:.25rem 0 .5rem}
    .bar details{min-width:0}
    .bar details[open]{flex-basis:100%;border:1px solid var(--line);border-radius:.4rem;background:var(--card);padding:.4rem .9rem .7rem}
    .chip{border:1px solid var(--line);border-radius:1rem;background:var(--card);padding:.05rem .7rem;text-decoration:none;max-width:100%;overflow-wrap:anywhere}
    summary{cursor:pointer;color:var(--link)}
    form{margin:.5rem 0}
    form.line,form.filter{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
    label{display:block}
    .line label,.filter div{display:inline-flex;gap:.4rem;align-items:center;max-width:100%}
    .filter label{white-space:nowrap}
    input,select,textarea,button{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.3rem;padding:.25rem .5rem;max-width:100%;min-width:0}
    textarea{width:100%}
    button{cursor:pointer}
    kbd{font:.8em ui-monospace,monospace;border:1px solid var(--line);border-radius:.25rem;padding:0 .3em;color:var(--soft)}
    .done{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:center}
    .queue{display:grid;grid-template-columns:minmax(16rem,26rem) minmax(0,1fr);gap:0 2rem;align-items:start}
    .queue ol{list-style:none;margin:0;padding:0;max-height:80vh;overflow:auto;border:1px solid var(--line);border-radius:.4rem}
    .queue li+li{border-top:1px solid var(--line)}
    .queue nav a{display:block;padding:.4rem .75rem;border-left:.25rem solid transparent;color:inherit;text-decoration:none;overflow-wrap:anywhere}
    .queue nav a:hover{background:var(--card)}
    .queue [aria-current]{background:var(--card);border-color:var(--link)}
    .queue h2{margin-top:0}
    .queue section ul{list-style:none;padding:0}
    .queue h3{margin-top:1rem}
    .danger button{border-color:var(--failed);color:var(--failed)}
    .panel{border:1px solid var(--line);border-radius:.5rem;padding:.25rem 1rem .75rem;margin:1rem 0;max-width:60rem}
    .panel h2{margin-top:.5rem}
    .panel button{margin-top:.5rem}
    fieldset{border:0;padding:0;margin:.4rem 0;display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:.1rem 1rem}
    legend{color:var(--soft)}
    .facets{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:.5rem 0 0}
    .facets ul{list-style:none;margin:0;padding:0;max-height:12rem;overflow:auto}
    dl{display:grid;grid-template-columns:minmax(10rem,max-content) minmax(0,1fr);gap:0;margin:1rem 0;font-variant-numeric:tabular-nums}
    dt,dd{margin:0;padding:.35rem 0;border-bottom:1px solid var(--line)}
    dt{color:var(--soft);padding-right:2rem}
    dd p{margin:0 0 .5rem;white-space:pre-wrap}
    dd ul{margin:0;padding-left:1.1rem}
    .diagram{max-width:100%;height:auto}
    .diagram rect{fill:var(--card);stroke:var(--soft)}
    .diagram text{fill:var(--ink);font:14px system-ui,sans-serif}
    .diagram path{fill:none;stroke:var(--soft)}
    .diagram path.head{fill:var(--soft);stroke:none}
    @media (max-width:60rem){
    main,.top{padding-inline:1rem}
    .queue{grid-template-columns:minmax(0,1fr)}
    .queue section{order:-1}
    .tiles{grid-template-columns:repeat(2,minmax(0,1fr))}
    .tiles li:last-child:nth-child(odd){grid-column:1/-1}
    .feeds thead,.feeds tbody{margin-inline:0}
    .feeds thead{position:static}
    .feeds thead:not(:has(button)){display:none}
    .feeds thead tr{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding-inline:0}
    .feeds .scale{display:none}
    .feeds tbody tr{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.4rem 0;contain-intrinsic-size:auto 4.6rem}
    .feeds tbody th{flex:1 1 calc(100% - 9.5rem);white-space:normal!important}
    .feeds tbody td{text-align:left!important}
    .feeds td:nth-child(2){order:9;color:var(--soft)}
    .feeds td:nth-child(4){order:1}
    .feeds td:nth-child(5){order:0}
    .feeds td:nth-child(n+6){order:2}
    .feeds td:nth-child(4)::before{content:"uptime ";color:var(--soft)}
    .feeds td:nth-child(6)::before{content:"quality ";color:var(--soft)}
    .feeds td:nth-child(7)::before{content:"readers ";color:var(--soft)}
    .since td:nth-child(8)::before{content:"change ";color:var(--soft)}
    .feeds td:last-child::before{content:"newest ";color:var(--soft)}
    .case{display:flex;flex-wrap:wrap;gap:0 1rem}
    .case>:first-child{flex:1 1 calc(100% - 9.5rem)}
    .case small{flex-basis:100%}
    }
    @media (max-width:40rem){
    h1{font-size:1.35rem}
    table{font-size:.8125rem}
    th,td{padding-right:.75rem}
    .records tbody td{max-width:12rem}
    .records :is(th,td):first-child{min-width:8.5rem;max-width:9.5rem;white-space:normal}
    dl{grid-template-columns:1fr}
    dt{border:0;padding-bottom:0}
    dd{padding-top:0}
    .stack,.stack caption,.stack tbody,.stack tr,.stack td{display:block}
    .stack thead,.stack td:empty{display:none}
    .stack tr{border-bottom:1px solid var(--line);padding:.4rem 0}
    .stack td{border:0;padding:.05rem 0;text-align:left}
    .stack td[data-h]::before{content:attr(data-h) " ";color:var(--soft)}
    }
    @media (max-width:26rem){.bars :is(th,td):last-child{display:none}}
    @media (max-width:22rem){.tiles{grid-template-columns:1fr}tbody :is(th,td){overflow-wrap:anywhere}}
    @media (forced-colors:active){[stroke]{stroke:CanvasText!important}}
    @media print{
    :root{color-scheme:light;--ground:#ffffff;--ink:#000000;--soft:#333333;--card:#ffffff;--good:#0B6E99;--mixed:#B26A00;--failed:#A4161A;--none:#8A8F98;--warn:#8a5200;--link:#000000}
    main{max-width:none;padding:0}
    body{font-size:9pt}
    .feeds tbody tr{content-visibility:visible}
    .feeds thead{position:static}
    .wide{max-height:none;overflow:visible}
    svg{print-color-adjust:exact}
    form.filter{display:none}
    th button::after{content:""}
    tr,.tiles li,.cause{break-inside:avoid}
    }
    """
}
