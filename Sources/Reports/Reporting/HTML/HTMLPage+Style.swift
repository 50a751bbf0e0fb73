extension HTMLPage {
  /// Colour is never the only sign: verdicts have words, bars have patterns.
  static let style = """
    :root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--dim:#5a6470;--line:#d5dae0;--panel:#f5f7f9;
    --fail:#b3261e;--unknown:#8a5a00;--exempt:#0b6e7a;--pass:#1b6e35;--relaxed:#5b6b00;--link:#0a58ca}
    @media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e9ec;--dim:#a3adb8;--line:#38404a;--panel:#1d2126;
    --fail:#ff8a80;--unknown:#f2b84b;--exempt:#62d0dd;--pass:#7fd694;--relaxed:#c8d66a;--link:#8ab4f8}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}
    header,main,footer{max-width:76rem;margin:0 auto;padding:0 1rem}
    header{padding-top:1.2rem}
    h1{font-size:1.1rem;margin:0;color:var(--dim);letter-spacing:.04em}
    .title{font-size:1.6rem;font-weight:650;margin:.1rem 0 0}
    h2{font-size:1.15rem;margin:1.6rem 0 .5rem}
    h3{font-size:1rem;margin:1.1rem 0 .3rem}
    .hint{color:var(--dim);margin:.1rem 0 .5rem;font-size:.9rem}
    .skip{position:absolute;left:-999rem}
    .skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.3rem .6rem;outline:2px solid var(--link)}
    :focus-visible{outline:2px solid var(--link);outline-offset:2px}
    .t{unicode-bidi:isolate;overflow-wrap:anywhere}
    code,pre,.m{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.88em}
    .tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:.5rem 0}
    ul.tiles{list-style:none;padding:0}
    .tiles button,.tiles li{min-width:7.5rem;text-align:left;padding:.5rem .8rem;border:1px solid var(--line);
    border-left:6px solid currentColor;border-radius:6px;background:var(--panel);font:inherit}
    .tiles button{cursor:pointer}
    .tiles button[aria-pressed=true]{outline:2px solid currentColor}
    .tiles b{display:block;font-size:1.5rem;line-height:1.2}
    .fail{color:var(--fail)}.unknown{color:var(--unknown)}.exempt{color:var(--exempt)}.pass{color:var(--pass)}
    .relaxed{color:var(--relaxed)}.plain{color:var(--fg)}
    dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.4rem 0}
    dl.facts dt{color:var(--dim)}dl.facts dd{margin:0;min-width:0}
    dl.facts dt{max-width:18rem;overflow-wrap:anywhere}
    .bins{display:flex;align-items:flex-end;height:6rem;gap:2px;border-bottom:1px solid var(--line)}
    .bins button{flex:1 1 0;min-width:2px;height:100%;padding:0;border:0;background:none;display:flex;
    flex-direction:column;justify-content:flex-end;cursor:pointer}
    .bins button:hover{background:var(--panel)}
    .bins button[aria-pressed=true]{background:var(--line)}
    .bins span{display:block;width:100%;background:currentColor;min-height:2px}
    .bins .fail{background:repeating-linear-gradient(45deg,var(--fail) 0 3px,transparent 3px 5px),var(--panel)}
    .bins .unknown{background:repeating-linear-gradient(0deg,var(--unknown) 0 2px,transparent 2px 4px),var(--panel)}
    .span{display:flex;justify-content:space-between}
    table{border-collapse:collapse;width:100%;font-size:.94em}
    th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line)}
    th{color:var(--dim);font-weight:600}
    td.n,th.n{text-align:right}
    .scroll{overflow-x:auto}
    td .t,td.t{overflow-wrap:break-word}
    td .id{white-space:nowrap;font-weight:600}
    .body td:nth-child(3),.body td:nth-child(4){min-width:10rem;max-width:18rem}
    .body td:nth-child(6){min-width:14rem}
    .body td{overflow-wrap:anywhere}
    .v{font-weight:700;white-space:nowrap}
    button.link{background:none;border:0;padding:0;color:var(--link);font:inherit;text-align:left;cursor:pointer;
    text-decoration:underline}
    .filters{display:flex;flex-wrap:wrap;gap:.8rem;align-items:end;margin:.4rem 0}
    .filters label{display:flex;flex-direction:column;color:var(--dim);font-size:.88rem}
    input,select,.filters button,.pager button{font:inherit;padding:.3rem .5rem;color:var(--fg);
    background:var(--panel);border:1px solid var(--line);border-radius:5px}
    #search{width:18rem}
    .filters label,.filters select,.filters input{max-width:min(100%,28rem)}
    .pager{display:flex;gap:.6rem;align-items:center;margin:.6rem 0}
    details.s{border:1px solid var(--line);border-radius:6px;margin:.35rem 0;background:var(--bg)}
    details.s>summary{display:flex;flex-wrap:wrap;gap:.2rem 1rem;padding:.4rem .7rem;cursor:pointer}
    details.s>summary::before{content:"\\25b8"}
    details.s[open]>summary::before{content:"\\25be"}
    details.s[open]>summary{background:var(--panel);border-bottom:1px solid var(--line)}
    summary .h{font-weight:600}summary .d{color:var(--dim)}summary .w{margin-left:auto;white-space:nowrap}
    .body{padding:.2rem .9rem .9rem}
    details.r{margin:.6rem 0}
    pre{background:var(--panel);padding:.6rem;overflow:auto;max-height:32rem;white-space:pre-wrap;
    overflow-wrap:anywhere;border-radius:5px}
    .card{border:1px solid var(--line);border-radius:6px;padding:.3rem .7rem;margin:.4rem 0}
    footer{color:var(--dim);padding:1rem;font-size:.9rem}
    @media (max-width:40rem){dl.facts{grid-template-columns:1fr}dl.facts dt{margin-top:.3rem}
    #hosts-table td:nth-child(2),#hosts-table td:nth-child(5){min-width:11rem}summary .w{margin-left:0}}
    @media print{:root{--bg:#fff;--fg:#000;--dim:#333;--line:#999;--panel:#fff;--fail:#000;--unknown:#000;
    --exempt:#000;--pass:#000;--relaxed:#000}
    body{font-size:10pt}.filters,.pager,.skip,.hint,button.clear{display:none}
    details.s{break-inside:avoid}pre{max-height:none}.tiles button{border-left-width:1px}a{color:inherit}}
    @media (prefers-reduced-motion:no-preference){details.s>summary{transition:background .1s}}
    """
}
