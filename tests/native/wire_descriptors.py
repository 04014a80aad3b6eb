"""Run with the peers' Python: prints the field and enum numbers of the real protobuf descriptors as JSON."""

from __future__ import annotations

import json
from importlib import import_module

event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2 = (
    import_module(f"tensorboard.compat.proto.{name}_pb2") for name in ("event", "summary", "tensor", "tensor_shape", "types")
)
plugin_data_pb2 = import_module("tensorboard.plugins.hparams.plugin_data_pb2")

MESSAGES = {
    "Event": event_pb2.Event,
    "SourceMetadata": event_pb2.SourceMetadata,
    "SessionLog": event_pb2.SessionLog,
    "TaggedRunMetadata": event_pb2.TaggedRunMetadata,
    "Summary": summary_pb2.Summary,
    "Value": summary_pb2.Summary.Value,
    "SummaryMetadata": summary_pb2.SummaryMetadata,
    "PluginData": summary_pb2.SummaryMetadata.PluginData,
    "HParamsPluginData": plugin_data_pb2.HParamsPluginData,
    "SessionEndInfo": plugin_data_pb2.SessionEndInfo,
    "TensorProto": tensor_pb2.TensorProto,
    "TensorShape": tensor_shape_pb2.TensorShapeProto,
    "Dim": tensor_shape_pb2.TensorShapeProto.Dim,
}

fields = {name: {field.name: field.number for field in message.DESCRIPTOR.fields} for name, message in MESSAGES.items()}
print(json.dumps({"fields": fields, "types": dict(types_pb2.DataType.items())}))
