"""Makes a screenshot small: a PNG file with a palette of the 256 colours that it has most of, other colours to the nearest of them."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser

COLOURS = 256
_READ = """async (address) => {
  const image = new Image();
  image.src = address;
  await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const reader = new FileReader();
  const read = new Promise((done) => (reader.onload = done));
  reader.readAsDataURL(new Blob([data]));
  await read;
  return [image.width, image.height, reader.result];
}"""


def reduced(picture: bytes, browser: Browser) -> bytes:
    """The same picture with at most 256 colours; the browser reads the pixels."""
    return indexed_png(*with_palette(pixels_of(picture, browser)))


def pixels_of(picture: bytes, browser: Browser) -> NDArray[np.uint8]:
    """Height × width × 3."""
    page = browser.new_page()
    width, height, told = page.evaluate(_READ, f"data:image/png;base64,{base64.b64encode(picture).decode()}")
    page.close()
    return np.frombuffer(base64.b64decode(told.partition(",")[2]), np.uint8).reshape(height, width, 4)[:, :, :3]


def with_palette(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """For each pixel the number of its colour, and the colours."""
    colours, place, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-counts, kind="stable")[:COLOURS]]
    apart: NDArray[Any] = colours[:, None].astype(np.int32) - palette.astype(np.int32)
    nearest = (apart**2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    return nearest[place].reshape(pixels.shape[:2]), palette


def indexed_png(places: NDArray[np.uint8], palette: NDArray[np.uint8]) -> bytes:
    """A PNG file of colour type 3."""
    height, width = places.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), places], axis=1)  # no filter: best for a palette
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, chunks))


def _chunk(named: tuple[bytes, bytes]) -> bytes:
    name, content = named
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
