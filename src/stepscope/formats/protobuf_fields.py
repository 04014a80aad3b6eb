"""The walk over protobuf fields under the name that formats import it by; it is the same for every part."""

from __future__ import annotations

from stepscope.model.protobuf_fields import BadMessage, Field, fields, numbers

__all__ = ["BadMessage", "Field", "fields", "numbers"]
