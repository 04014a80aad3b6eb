"""Blob keys: what an address names an image or a sound by. They are opaque to clients, and everything in them is looked up again."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass

from stepscope.compat.logged import Logged, found_one
from stepscope.compat.served import Served
from stepscope.model.errors import BadInput, NotThere
from stepscope.queries.blobs import Payload

_LONGEST = 60_000


@dataclass(frozen=True, slots=True)
class BlobKey:
    """One string of one value: its place counts as TensorBoard counts, with the width and height of images in front."""

    plugin: str
    run: str
    tag: str
    step: int
    place: int

    @property
    def text(self) -> str:
        """Base64url without padding of a compact JSON array; the experiment, which is always the same, is empty."""
        array = json.dumps(["", self.plugin, self.run, self.tag, self.step, self.place], separators=(",", ":"))
        return base64.urlsafe_b64encode(array.encode()).decode().rstrip("=")


def blob_key(text: str) -> BlobKey:
    """The key in an address. Raises BadInput when it is none."""
    try:
        if len(text) > _LONGEST:
            raise ValueError
        found = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        raise BadInput("This blob key is not from this server; fetch the list again.", "bad_blob_key") from None
    match found:
        case [str(), str(plugin), str(run), str(tag), int(step), int(place)] if not isinstance(step, bool) and place >= 0:
            return BlobKey(plugin, run, tag, step, place)
        case _:
            raise BadInput("This blob key is not from this server; fetch the list again.", "bad_blob_key")


def value_of(served: Served, key: BlobKey, plugin: str) -> tuple[Logged, Payload]:
    """The value that a key names. Raises NotThere, also when it is the key of another plugin."""
    if key.plugin != plugin:
        raise NotThere("This blob key belongs to another plugin.", "unknown_blob")
    one = found_one(served, plugin, key.run, key.tag)
    series = served.blobs.open(served.view(), one.run_id, one.name, one.kind)
    return one, served.blobs.read(series, series.find(float(key.step), None))
