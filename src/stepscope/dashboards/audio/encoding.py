"""What a sound's first bytes say: its type, from a fixed list that browsers play and never run."""

from __future__ import annotations

from stepscope.model.errors import NotThere

OTHER = "application/octet-stream"
"""Whatever is not on the list: browsers save it."""
TYPES = ("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac", "audio/mp4", OTHER)
ENDINGS = {"audio/wav": "wav", "audio/mpeg": "mp3", "audio/ogg": "ogg", "audio/flac": "flac", "audio/mp4": "m4a", OTHER: "bin"}
_MPEG_SYNC = 0xE0
_MPEG_RESERVED = 0x06


def content_type(data: bytes) -> str:
    """The sound's type, or OTHER. Raises NotThere for no bytes at all."""
    if not data:
        raise NotThere("The audio is empty: no samples were logged.", "bad_audio")
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        return "audio/wav"
    if data.startswith(b"OggS"):
        return "audio/ogg"
    if data.startswith(b"fLaC"):
        return "audio/flac"
    if data[4:11] in (b"ftypM4A", b"ftypM4B"):
        return "audio/mp4"
    return "audio/mpeg" if data.startswith(b"ID3") or _is_mpeg_frame(data) else OTHER


def _is_mpeg_frame(data: bytes) -> bool:
    """Eleven bits of sync, and a layer that exists."""
    return len(data) > 1 and data[0] == 0xFF and data[1] & _MPEG_SYNC == _MPEG_SYNC and data[1] & _MPEG_RESERVED != 0
