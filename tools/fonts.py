"""Makes the page's fonts from the published ones: the letters that web/src/style/fonts.css names, in the weights that are used.

Only who changes them runs this, in an environment with `pip install fonttools brotli` and npm; the made files are in the repository.
"""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

STYLE = Path(__file__).resolve().parent.parent / "web" / "src" / "style"
# Family, npm package, file in it, and where its axes are held: small text needs no optical sizes.
SOURCES = (
    ("Inter", "inter-ui@4.1.1", "package/variable/InterVariable.woff2", {"wght": (400, 600), "opsz": 14}),
    (
        "JetBrains Mono",
        "@fontsource-variable/jetbrains-mono@5.3.0",
        "package/files/jetbrains-mono-latin-wght-normal.woff2",
        {"wght": (400, 600)},
    ),
)
# No ligatures: a name such as "a->b" is shown letter by letter.
FEATURES = ["ccmp", "kern", "locl", "mark", "mkmk"]

# Points and commas keep the width that they have in sentences.
FIGURES = set(map(ord, "0123456789"))


def published(package: str, file: str) -> TTFont:
    """A font file out of a package of the npm registry."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
            content = archive.extractfile(file)
            if content is None:
                raise SystemExit(f"{package} has no file {file}.")
            return TTFont(io.BytesIO(content.read()))


def letters_of(family: str) -> tuple[str, set[int]]:
    """The made file of a family and the letters that go into it, as the style sheet says."""
    for block in re.findall(r"@font-face \{(.*?)\}", (STYLE / "fonts.css").read_text(), re.DOTALL):
        if f"'{family}'" in block:
            ranges = [(int(low, 16), int(high or low, 16)) for low, high in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", block)]
            file = re.search(r"url\('\./(.*?)'\)", block)
            if file is not None:
                return file.group(1), {letter for low, high in ranges for letter in range(low, high + 1)}
    raise SystemExit(f"fonts.css has no family {family}.")


def with_tabular_figures(font: TTFont) -> None:
    """Makes figures of one width the usual ones: a canvas cannot ask for them."""
    if "GSUB" not in font:
        return
    table = font["GSUB"].table
    lookups = {index for one in table.FeatureList.FeatureRecord if one.FeatureTag == "tnum" for index in one.Feature.LookupListIndex}
    tabular: dict[str, str] = {}
    for index in lookups:
        for part in table.LookupList.Lookup[index].SubTable:
            tabular.update(getattr(getattr(part, "ExtSubTable", part), "mapping", {}))
    for names in font["cmap"].tables:
        names.cmap = {letter: tabular.get(name, name) if letter in FIGURES else name for letter, name in names.cmap.items()}


def make(family: str, package: str, file: str, axes: dict[str, float | tuple[float, float]]) -> Path:
    """Writes the page's file of one family."""
    held = io.BytesIO()
    instancer.instantiateVariableFont(published(package, file), axes).save(held)
    # Read anew, since the subsetter wants variations of every glyph, also of those that have none left.
    font = TTFont(held)
    with_tabular_figures(font)
    place, letters = letters_of(family)
    missing = letters - font.getBestCmap().keys()
    if missing:
        raise SystemExit(f"{family} lacks {', '.join(f'U+{letter:X}' for letter in sorted(missing))}: take them out of fonts.css.")
    options = Options(name_IDs=list(range(15)), layout_features=FEATURES, hinting=False, drop_tables=["STAT", "MVAR", "DSIG", "meta"])
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    font.flavor = "woff2"
    font.save(STYLE / place)
    return STYLE / place


if __name__ == "__main__":
    for source in SOURCES:
        made = make(*source)
        print(made.relative_to(STYLE), made.stat().st_size)
