/// The style sheet of the console's pages.
enum ConsoleStyleSheet {
  static let css: StaticString = """
    :root{color-scheme:light dark;--ground:#ffffff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--link:#0a58ca;--bad:#A4161A}
    @media (prefers-color-scheme:dark){:root{--ground:#111318;--ink:#e6e9ee;--soft:#a3abb6;--line:#363b45;--card:#1b1f27;--link:#8ab4f8;--bad:#FF7B72}}
    *{box-sizing:border-box}
    body{margin:0 auto;max-width:84rem;padding:1rem 1.25rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
    a{color:var(--link)}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    header{border-bottom:1px solid var(--line)}
    header p{margin:0}
    nav a{display:inline-block;padding:.4rem .8rem .4rem 0}
    h1{font-size:1.5rem;margin:1rem 0 .5rem}
    h2{font-size:1.15rem;margin:1.75rem 0 .5rem}
    p{max-width:70ch}
    .wide{overflow-x:auto}
    table{border-collapse:collapse;font-variant-numeric:tabular-nums}
    th,td{padding:.35rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
    td{max-width:40ch}
    .wide td,.wide th{min-width:13ch}
    tbody th{max-width:32ch}
    .records tbody th{position:sticky;left:0;background:var(--ground)}
    .id{display:inline-block;max-width:11ch;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;vertical-align:bottom}
    td>.id{user-select:all}
    time{white-space:nowrap}
    .copy{margin:0 0 0 .4rem;padding:0 .4rem;font-size:.85em}
    tr .copy{opacity:0}
    tr:hover .copy,tr .copy:focus-visible{opacity:1}
    @media (hover:none){tr .copy{opacity:1}}
    caption{text-align:left;color:var(--soft);padding:.25rem 0}
    thead th{background:var(--card);white-space:nowrap}
    .number{text-align:right}
    .soft{color:var(--soft)}
    .notice{border-left:4px solid var(--bad);background:var(--card);padding:.5rem 1rem;margin:1rem 0}
    code,pre{font-family:ui-monospace,monospace;font-size:.92em}
    pre{white-space:pre-wrap;background:var(--card);padding:.75rem}
    form{border:1px solid var(--line);border-radius:.5rem;background:var(--card);padding:1rem;margin:1rem 0;max-width:60rem}
    form h2{margin-top:0}
    label{display:block;margin:.4rem 0 .1rem}
    input,textarea,button,select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:.3rem;padding:.35rem .55rem;max-width:100%}
    input[type=text],textarea{width:100%}
    button{margin-top:.6rem;cursor:pointer}
    summary{cursor:pointer;margin-top:.6rem}
    fieldset{border:0;padding:0;margin:.4rem 0;display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.2rem 1rem}
    legend{color:var(--soft)}
    fieldset label{margin:0}
    .failed{color:var(--bad);font-weight:600}
    svg{max-width:100%;height:auto}
    svg rect{fill:var(--card);stroke:var(--soft)}
    svg text{fill:var(--ink);font:14px system-ui,sans-serif}
    svg path{fill:none;stroke:var(--soft)}
    svg path.head{fill:var(--soft);stroke:none}
    @media (max-width:40rem){
    .records tbody th{max-width:9.5rem}
    .records td{max-width:11.5rem}
    time{white-space:normal}
    .requests,.requests caption,.requests tbody,.requests tr,.requests td{display:block}
    .requests thead,.requests td:empty{display:none}
    .requests tr{border-bottom:1px solid var(--line);padding:.5rem 0}
    .requests td{border:0;padding:.1rem 0;min-width:0;max-width:none;text-align:left}
    .requests td::before{color:var(--soft)}
    .requests td:nth-child(1)::before{content:"Time "}
    .requests td:nth-child(2)::before{content:"Request "}
    .requests td:nth-child(3)::before{content:"Status "}
    .requests td:nth-child(4)::before{content:"Milliseconds "}
    .requests td:nth-child(5)::before{content:"Why "}
    }
    """
}
