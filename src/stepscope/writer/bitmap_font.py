"""A small typeface of dots, so that labels can be drawn on pictures without any other package."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 5, 7
"""Of a letter, without the column between two."""

_FIRST = 32
_DIGITS = 2 * HEIGHT
# Of each letter seven rows of two hexadecimal digits, whose lowest five bits are the dots from left to right.
_LETTERS = (
    "00000000000000040404040400040a0a00000000000a0a1f0a1f0a0a040f140e051e04191902040813130c12140815120d04040000000000"  #  !"#$%&'
    "02040808080402080402020204080004150e1504000004041f040400000000000404080000001f00000000000000000c0c01010204081010"  # ()*+,-./
    "0e11131519110e040c040404040e0e11010608101f0e11010601110e02060a121f02021f101e0101110e0e10101e11110e1f010204040404"  # 01234567
    "0e11110e11110e0e11110f01010e00040000000400000400000404080204081008040200001f001f0000080402010204080e110106040004"  # 89:;<=>?
    "0e11171517100e0e11111f1111111e11111e11111e0e11101010110e1e11111111111e1f10101e10101f1f10101e1010100e11101711110e"  # @ABCDEFG
    "1111111f1111110e04040404040e0702020202120c111214181412111010101010101f111b1515111111111915151311110e11111111110e"  # HIJKLMNO
    "1e11111e1010100e11111115120d1e11111e1412110f10100e01011e1f0404040404041111111111110e111111110a0a0411111115151b11"  # PQRSTUVW
    "11110a040a111111110a040404041f01020408101f0e08080808080e101008040201010e02020202020e040a11000000000000000000001f"  # XYZ[\]^_
    "0804000000000000000e010f110f10101e1111111e00000f1010100f01010f1111110f00000e111f100e06081e0808080800000f110f010e"  # `abcdefg
    "10101e1111111104000c0404040e0200060202120c101012141814120c04040404040e00001a1515151100001e1111111100000e1111110e"  # hijklmno
    "00001e111e101000000f110f01010000161910101000000f100e011e08081e080809060000111111110f00001111110a040000111515150a"  # pqrstuvw
    "0000110a040a11000011110f010e00001f0204081f06040408040406040404040404040c04040204040c00000815020000"  # xyz{|}~
)
_UNKNOWN = "1f11111111111f"


def text_dots(text: str, size: int) -> NDArray[Any]:
    """One line of text as truth values: 7 × size rows, 6 × size columns for each letter.

    Letters that the typeface does not have are drawn by Pillow where it is installed, and as boxes elsewhere.
    """
    if not text.isascii() and (drawn := _drawn_by_pillow(text, HEIGHT * size)) is not None:
        return drawn
    return _dots(text).repeat(size, axis=0).repeat(size, axis=1)


def _dots(text: str) -> NDArray[Any]:
    import numpy as np

    dots = np.zeros((HEIGHT, (WIDTH + 1) * len(text)), bool)
    for place, letter in enumerate(text):
        start = (ord(letter) - _FIRST) * _DIGITS
        rows = bytes.fromhex(_LETTERS[start : start + _DIGITS] if 0 <= start < len(_LETTERS) else _UNKNOWN)
        left = place * (WIDTH + 1)
        for row, bits in enumerate(rows):
            for column in range(WIDTH):
                dots[row, left + column] = bits >> (WIDTH - 1 - column) & 1
    return dots


def _drawn_by_pillow(text: str, height: int) -> NDArray[Any] | None:
    import numpy as np

    try:
        image: Any = import_module("PIL.Image")
        draw: Any = import_module("PIL.ImageDraw")
        font: Any = import_module("PIL.ImageFont").load_default(height)
    except (ImportError, OSError):
        return None
    left, _, right, _ = font.getbbox(text)
    picture = image.new("L", (max(1, int(right - left) + 1), height))
    draw.Draw(picture).text((-left, height), text, fill=255, font=font, anchor="ls")
    return np.asarray(picture) > 127
