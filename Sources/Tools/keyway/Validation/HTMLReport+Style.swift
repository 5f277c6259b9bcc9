extension HTMLReport {
    /// The style sheet. Tables become lists of labeled values on narrow screens, so that nothing scrolls sideways.
    static let style = """
        :root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--line:#d5d9de;--soft:#f3f5f7;--bar:#7fb0ee;--peak:#1f5fb8;\
        --red:#b3261e;--amber:#8a5a00;--green:#1a7f37;--dim:#5a636d;--key1:#b7791f;--key2:#7c3aed;--key3:#0f766e;--clear:#c3c9d0}
        @media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#14171b;--line:#343a41;--soft:#1d2126;--bar:#3f6ea8;\
        --peak:#9cc4ff;--red:#ff8a80;--amber:#f0b849;--green:#5fd07e;--dim:#a3adb8;--key1:#d69e2e;--key2:#a78bfa;--key3:#2dd4bf;\
        --clear:#4a525b}}
        *{box-sizing:border-box}
        body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;max-width:80rem;\
        padding:1rem}
        h1{font-size:1.3rem;line-height:1.3;margin:0 0 .3rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}
        h3{font-size:.95rem;margin:0}p{margin:.4rem 0;overflow-wrap:anywhere}
        code,li{overflow-wrap:anywhere}code{font-size:.85em}ul{padding-left:1.2rem;margin:.4rem 0}
        .verdict{font-size:1.1rem;font-weight:600;border-left:.35rem solid;padding:.3rem .7rem;background:var(--soft)}
        .critical,.must{color:var(--red)}.should{color:var(--amber)}\
        .good{color:var(--green)}
        .targets{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.5rem}
        .targets li{border:1px solid var(--line);border-radius:6px;padding:.4rem .7rem;font-size:.85rem}
        details{border:1px solid var(--line);border-radius:6px;padding:.5rem .8rem;margin:.5rem 0}
        summary{cursor:pointer;overflow-wrap:anywhere}.number,.note,footer,figcaption,.legend{color:var(--dim);font-size:.85rem}
        .requirement{display:block;padding-left:5.4rem}.level{display:inline-block;min-width:4.2rem;font-weight:600}
        .action{background:var(--soft);padding:.4rem .6rem;border-radius:4px}
        table{border-collapse:collapse;width:100%;font-size:.8rem}caption{text-align:left;color:var(--dim)}
        th,td{text-align:left;padding:.3rem .5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere;\
        vertical-align:top}
        th{color:var(--dim);font-weight:600;overflow-wrap:normal}table+table{margin-top:.8rem}td:first-child{min-width:9rem}
        figure{margin:1.2rem 0}figcaption{overflow-wrap:anywhere}figcaption b{color:var(--ink)}
        .plot{display:grid;grid-template-columns:4.6rem 1fr;column-gap:.4rem;color:var(--dim);font-size:.75rem;line-height:1}
        .rates{grid-area:1/1;display:flex;flex-direction:column;justify-content:space-between;text-align:right;height:127px}
        .strip{grid-area:2/1;text-align:right;height:23px;padding-top:7px}.scale{grid-area:1/2/3/3}
        .times{grid-area:3/2;display:flex;justify-content:space-between;padding-top:.3rem}
        svg{display:block;width:100%;height:150px;background:var(--soft);border-radius:4px}.grid{stroke:var(--line)}
        .bar{fill:var(--bar)}.window{fill:var(--peak);opacity:.22}
        line{vector-effect:non-scaling-stroke;stroke-width:1.5}
        .bandwidth{stroke:var(--red)}.declared{stroke:var(--amber)}.average{stroke:var(--ink);stroke-dasharray:4 4}
        .key0{fill:var(--key1)}.key1{fill:var(--key2)}.key2{fill:var(--key3)}.clear{fill:var(--clear)}
        .legend span{white-space:nowrap;margin-right:.9rem}.legend span.long{white-space:normal;overflow-wrap:anywhere}
        .legend i{display:inline-block;width:.9rem;height:.55rem;margin-right:.3rem;border-radius:2px}
        .legend i.bar{background:var(--bar)}.legend i.window{background:var(--peak);opacity:.4}
        .legend i.bandwidth{background:var(--red)}.legend i.declared{background:var(--amber)}
        .legend i.average{background:var(--ink)}.legend i.clear{background:var(--clear)}
        .legend i.key0{background:var(--key1)}.legend i.key1{background:var(--key2)}.legend i.key2{background:var(--key3)}
        footer{margin-top:2rem}
        @media (max-width:60rem){.requirement{padding-left:0}.legend span.long{display:block}
        table,caption,tbody,tr,td{display:block}thead{display:none}
        tr{border:1px solid var(--line);border-radius:6px;padding:.3rem .7rem;margin:.5rem 0}
        td,td:first-child{min-width:0}td{border:0;padding:.1rem 0;display:grid;grid-template-columns:9rem 1fr;gap:.5rem}
        td::before{content:attr(data-label);color:var(--dim)}}
        @media print{:root{color-scheme:light;print-color-adjust:exact}body{max-width:none;padding:0}details,figure,tr{break-inside:avoid}
        details::details-content{content-visibility:visible;height:auto}}
        """
}
