"""How the report as one HTML file looks: the page's own colours, type and space, for screens light and dark and for paper."""

from __future__ import annotations

GROUP_COLOURS: dict[str, tuple[str, str]] = {
    "compute": ("#597bff", "#5372e7"),
    "communication": ("#662cab", "#bc98fe"),
    "copy": ("#0f473d", "#6bdbc3"),
    "input_wait": ("#d97816", "#df8a43"),
    "host": ("#77601e", "#d9bd5a"),
    "untraced": ("#878e99", "#6d747f"),
}
"""Of the six groups of time, on light and on dark ground: those of web/src/style, and a test holds the two together."""

EPOCH_COLOURS: dict[str, tuple[str, str]] = {
    "train": ("#245cfe", "#5b8afb"),
    "first_step": ("#34959b", "#5ddaee"),
    "validation": ("#8b44d0", "#b89afc"),
    "checkpoint": ("#ef6a00", "#fd9737"),
    "between": ("#8b929d", "#6d747f"),
    "unknown": ("#8b929d", "#6d747f"),
}
"""Of the parts of an epoch: those of runs 0, 5, 4 and 1 on the page, and its strong lines."""
HEAT_LEVELS = 8
"""Of the map of ranks and steps; titles have the times."""

_LIGHT = {
    "page": "#ffffff",
    "panel": "#f5f6f8",
    "line": "#dfe2e7",
    "text": "#1b1f26",
    "soft": "#565d69",
    "amber": "#8f5600",
}
_DARK = {
    "page": "#111317",
    "panel": "#191c21",
    "line": "#2d3138",
    "text": "#e3e6ea",
    "soft": "#a3aab5",
    "amber": "#e6a93f",
}


def _variables(names: dict[str, str], theme: int) -> str:
    colours = names | {f"time-{group}": pair[theme] for group, pair in GROUP_COLOURS.items()}
    colours |= {f"epoch-{part}": pair[theme] for part, pair in EPOCH_COLOURS.items()}
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:13px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
font-variant-numeric:tabular-nums}
main{max-width:1040px;margin:0 auto;padding:24px}
h1{margin:0;font-size:20px;font-weight:600;line-height:1.35;text-wrap:pretty}
h2{margin:32px 0 8px;font-size:13px;font-weight:600}
h3{margin:0 0 4px;font-size:13px;font-weight:600}
p{margin:0 0 8px;max-width:88ch;overflow-wrap:anywhere;text-wrap:pretty}
.soft{color:var(--soft)}
.small{font-size:12px}
.amber{color:var(--amber)}
.about{margin:0 0 16px;color:var(--soft);overflow-wrap:anywhere}
code,pre,.code{font:12px/1.4 ui-monospace,"SF Mono","Cascadia Mono","DejaVu Sans Mono",Consolas,monospace}
pre{margin:0 0 8px;padding:8px 12px;border:1px solid var(--line);border-radius:6px;background:var(--panel);white-space:pre-wrap;
overflow-wrap:anywhere}
.bar{display:flex;gap:1px;height:36px;border-radius:6px;overflow:hidden;background:var(--line)}
.bar.thin{height:8px;margin-top:5px;border-radius:3px;min-width:120px}
.bar>span{display:block;min-width:2px}
.legend{display:grid;grid-template-columns:repeat(6,1fr);gap:8px;margin:8px 0 0;padding:0;list-style:none}
.legend b{display:block;font-weight:600}
.swatch{display:inline-block;width:10px;height:10px;margin-right:6px;border-radius:2px}
table{width:100%;border-collapse:collapse}
th,td{padding:3px 12px 3px 0;border-top:1px solid var(--line);text-align:left;vertical-align:top}
thead th{border-top:0;color:var(--soft);font-size:12px;font-weight:400;white-space:nowrap}
.right{text-align:right;white-space:nowrap}
.wide{overflow-wrap:anywhere}
article{padding:12px 0 8px;border-top:1px solid var(--line);break-inside:avoid}
.gain{display:flex;height:6px;margin:4px 0 8px;border-radius:3px;overflow:hidden;background:var(--line)}
.gain .left{background:var(--soft)}
.gain .maybe{background:repeating-linear-gradient(135deg,var(--soft) 0 2px,transparent 2px 5px)}
ul.plain{margin:0 0 8px;padding-left:16px}
details{margin-top:8px}
summary{color:var(--soft);cursor:pointer}
dl{margin:8px 0 0}
dl.two{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 16px;margin:0 0 24px}
dl.two dt{font-weight:400}
dl.two dd{margin:0;color:var(--soft);overflow-wrap:anywhere}
dt{font-weight:600}
dd{margin:0 0 8px;max-width:88ch}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--soft);font-size:12px}
svg.ranks{margin-bottom:8px}
.outlined{fill:none;stroke:var(--amber);stroke-width:1.5}
.median{stroke:var(--text);stroke-width:1;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}
footer{margin-top:32px;padding-top:8px;border-top:1px solid var(--line)}
@media print{main{max-width:none;padding:0}body{font-size:11px}
.bar,.swatch,.gain *,svg{print-color-adjust:exact;-webkit-print-color-adjust:exact}
section{break-inside:auto}h2{break-after:avoid}tr{break-inside:avoid}}
"""


def style() -> str:
    """The style sheet; paper is light whatever the screen is."""
    names = [*(f"time-{group}" for group in GROUP_COLOURS), *(f"epoch-{part}" for part in EPOCH_COLOURS)]
    groups = "".join(f".{name}{{background:var(--{name});fill:var(--{name})}}" for name in names)
    hatched = ".time-untraced{background:repeating-linear-gradient(135deg,var(--time-untraced) 0 4px,var(--page) 4px 6px)}"
    heat = "".join(
        f".heat{level}{{fill:var(--soft);fill-opacity:{0.1 + 0.6 * level / (HEAT_LEVELS - 1):.2f}}}" for level in range(HEAT_LEVELS)
    )
    light, dark = _variables(_LIGHT, 0), _variables(_DARK, 1)
    themes = f":root{{color-scheme:light dark;{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return themes + _RULES + groups + heat + hatched
