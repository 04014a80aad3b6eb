"""Decodes PNG files that Pillow writes, of every mode, and prints which differ; runs with the plugins' Python."""
# pyright: reportMissingImports=false

import io
import json

import numpy as np
from PIL import Image

from stepscope.queries.png_pixels import png_pixels

MODES = ("L", "RGB", "RGBA", "LA", "P", "1", "I;16")


def pictures() -> list[tuple[str, Image.Image]]:
    random = np.random.default_rng(3)
    noise = random.integers(0, 256, (37, 53, 4), dtype=np.uint8)
    across, down = np.meshgrid(np.linspace(0, 255, 53), np.linspace(0, 255, 37))
    smooth = np.dstack([across, down, (across + down) / 2, 255 - across]).astype(np.uint8)
    found = []
    for name, pixels in (("noise", noise), ("smooth", smooth)):
        for mode in MODES:
            if mode == "I;16":
                made = Image.fromarray(pixels[..., 0].astype(np.uint16) * 251)
            else:
                made = Image.fromarray(pixels, "RGBA").convert("RGB" if mode in ("P", "1") else mode).convert(mode)
            found.append((f"{name} {mode}", made))
    return found


def shown(made: Image.Image) -> np.ndarray:
    """What the picture looks like: colours for a palette, and black and white for single bits."""
    if made.mode == "P":
        return np.asarray(made.convert("RGB"))
    return np.asarray(made.convert("L")) if made.mode == "1" else np.asarray(made)


if __name__ == "__main__":
    bad, count = [], 0
    for name, made in pictures():
        for level in (1, 9):
            file = io.BytesIO()
            made.save(file, "PNG", compress_level=level)
            pixels, wanted = png_pixels(file.getvalue()), shown(made)
            count += 1
            if pixels.shape != wanted.shape or not np.array_equal(pixels, wanted):
                bad.append(f"{name}: {pixels.shape} {wanted.shape}")
    print(json.dumps({"bad": bad, "count": count}))
