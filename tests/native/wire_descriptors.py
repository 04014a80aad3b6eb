"""Run with the peers' Python: prints the field and enum numbers of the real protobuf descriptors as JSON."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2 = (
    import_module(f"tensorboard.compat.proto.{name}_pb2") for name in ("event", "summary", "tensor", "tensor_shape", "types")
)
plugin_data_pb2, api_pb2 = (import_module(f"tensorboard.plugins.hparams.{name}_pb2") for name in ("plugin_data", "api"))
layout_pb2 = import_module("tensorboard.plugins.custom_scalar.layout_pb2")
mesh_pb2 = import_module("tensorboard.plugins.mesh.plugin_data_pb2")
audio_pb2 = import_module("tensorboard.plugins.audio.plugin_data_pb2")
pr_curve_pb2 = import_module("tensorboard.plugins.pr_curve.plugin_data_pb2")
struct_pb2 = import_module("google.protobuf.struct_pb2")
graph_pb2, node_def_pb2, attr_value_pb2, versions_pb2, config_pb2, step_stats_pb2 = (
    import_module(f"tensorboard.compat.proto.{name}_pb2")
    for name in ("graph", "node_def", "attr_value", "versions", "config", "step_stats")
)
function_pb2, op_def_pb2 = (import_module(f"tensorboard.compat.proto.{name}_pb2") for name in ("function", "op_def"))
onnx = import_module("onnx")
perfetto = import_module("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
xplane_pb2, profiler_options_pb2, pprof_pb2 = (
    import_module(f"tensorflow.tsl.profiler.protobuf.{name}_pb2") for name in ("xplane", "profiler_options", "profile")
)
hlo_pb2 = import_module("tensorflow.compiler.xla.service.hlo_pb2")
xla_data_pb2 = import_module("tensorflow.compiler.xla.xla_data_pb2")

MESSAGES = {
    "Event": event_pb2.Event,
    "SourceMetadata": event_pb2.SourceMetadata,
    "SessionLog": event_pb2.SessionLog,
    "TaggedRunMetadata": event_pb2.TaggedRunMetadata,
    "Summary": summary_pb2.Summary,
    "Value": summary_pb2.Summary.Value,
    "SummaryMetadata": summary_pb2.SummaryMetadata,
    "PluginData": summary_pb2.SummaryMetadata.PluginData,
    "Image": summary_pb2.Summary.Image,
    "Audio": summary_pb2.Summary.Audio,
    "HistogramProto": import_module("tensorboard.compat.proto.histogram_pb2").HistogramProto,
    "AudioPluginData": audio_pb2.AudioPluginData,
    "PrCurvePluginData": pr_curve_pb2.PrCurvePluginData,
    "MeshPluginData": mesh_pb2.MeshPluginData,
    "Layout": layout_pb2.Layout,
    "Category": layout_pb2.Category,
    "Chart": layout_pb2.Chart,
    "MultilineChartContent": layout_pb2.MultilineChartContent,
    "MarginChartContent": layout_pb2.MarginChartContent,
    "MarginSeries": layout_pb2.MarginChartContent.Series,
    "HParamsPluginData": plugin_data_pb2.HParamsPluginData,
    "Experiment": api_pb2.Experiment,
    "HParamInfo": api_pb2.HParamInfo,
    "Interval": api_pb2.Interval,
    "MetricInfo": api_pb2.MetricInfo,
    "MetricName": api_pb2.MetricName,
    "SessionStartInfo": plugin_data_pb2.SessionStartInfo,
    "HParamsEntry": plugin_data_pb2.SessionStartInfo.HparamsEntry,
    "StructValue": struct_pb2.Value,
    "ListValue": struct_pb2.ListValue,
    "SessionEndInfo": plugin_data_pb2.SessionEndInfo,
    "TensorProto": tensor_pb2.TensorProto,
    "TensorShape": tensor_shape_pb2.TensorShapeProto,
    "Dim": tensor_shape_pb2.TensorShapeProto.Dim,
    "SavedModel": import_module("tensorflow.core.protobuf.saved_model_pb2").SavedModel,
    "MetaGraphDef": import_module("tensorboard.compat.proto.meta_graph_pb2").MetaGraphDef,
    "GraphDef": graph_pb2.GraphDef,
    "FunctionDefLibrary": function_pb2.FunctionDefLibrary,
    "FunctionDef": function_pb2.FunctionDef,
    "TextEntry": function_pb2.FunctionDef.RetEntry,
    "OpDef": op_def_pb2.OpDef,
    "ArgDef": op_def_pb2.OpDef.ArgDef,
    "VersionDef": versions_pb2.VersionDef,
    "NodeDef": node_def_pb2.NodeDef,
    "NodeAttr": node_def_pb2.NodeDef.AttrEntry,
    "AttrValue": attr_value_pb2.AttrValue,
    "AttrList": attr_value_pb2.AttrValue.ListValue,
    "NameAttrList": attr_value_pb2.NameAttrList,
    "RunMetadata": config_pb2.RunMetadata,
    "FunctionGraphs": config_pb2.RunMetadata.FunctionGraphs,
    "StepStats": step_stats_pb2.StepStats,
    "DeviceStepStats": step_stats_pb2.DeviceStepStats,
    "NodeExecStats": step_stats_pb2.NodeExecStats,
    "AllocatorMemoryUsed": step_stats_pb2.AllocatorMemoryUsed,
    "AllocationRecord": step_stats_pb2.AllocationRecord,
    "NodeOutput": step_stats_pb2.NodeOutput,
    "TensorDescription": import_module("tensorboard.compat.proto.tensor_description_pb2").TensorDescription,
    "AllocationDescription": import_module("tensorboard.compat.proto.allocation_description_pb2").AllocationDescription,
    "PerfettoTrace": perfetto.Trace,
    "TracePacket": perfetto.TracePacket,
    "TracePacketDefaults": perfetto.TracePacketDefaults,
    "TrackEventDefaults": perfetto.TrackEventDefaults,
    "ClockSnapshot": perfetto.ClockSnapshot,
    "SnapshotClock": perfetto.ClockSnapshot.Clock,
    "TrackDescriptor": perfetto.TrackDescriptor,
    "ProcessDescriptor": perfetto.ProcessDescriptor,
    "ThreadDescriptor": perfetto.ThreadDescriptor,
    "TrackEvent": perfetto.TrackEvent,
    "InternedData": perfetto.InternedData,
    "EventCategory": perfetto.EventCategory,
    "EventName": perfetto.EventName,
    "OnnxModel": onnx.ModelProto,
    "OnnxGraph": onnx.GraphProto,
    "OnnxNode": onnx.NodeProto,
    "OnnxAttribute": onnx.AttributeProto,
    "OnnxValueInfo": onnx.ValueInfoProto,
    "OnnxType": onnx.TypeProto,
    "OnnxTensorType": onnx.TypeProto.Tensor,
    "OnnxShape": onnx.TensorShapeProto,
    "OnnxDim": onnx.TensorShapeProto.Dimension,
    "OnnxTensor": onnx.TensorProto,
    "XSpace": xplane_pb2.XSpace,
    "XPlane": xplane_pb2.XPlane,
    "XLine": xplane_pb2.XLine,
    "XEvent": xplane_pb2.XEvent,
    "XStat": xplane_pb2.XStat,
    "XEventMetadata": xplane_pb2.XEventMetadata,
    "XStatMetadata": xplane_pb2.XStatMetadata,
    "XMetadataEntry": xplane_pb2.XPlane.EventMetadataEntry,
    "ProfileOptions": profiler_options_pb2.ProfileOptions,
    "Pprof": pprof_pb2.Profile,
    "PprofValueType": pprof_pb2.ValueType,
    "PprofSample": pprof_pb2.Sample,
    "PprofLabel": pprof_pb2.Label,
    "PprofLocation": pprof_pb2.Location,
    "PprofLine": pprof_pb2.Line,
    "PprofFunction": pprof_pb2.Function,
    "HloProto": hlo_pb2.HloProto,
    "HloModuleProto": hlo_pb2.HloModuleProto,
    "HloComputation": hlo_pb2.HloComputationProto,
    "HloInstruction": hlo_pb2.HloInstructionProto,
    "HloSlice": hlo_pb2.HloInstructionProto.SliceDimensions,
    "HloOpMetadata": xla_data_pb2.OpMetadata,
    "HloShape": xla_data_pb2.ShapeProto,
    "HloLayout": xla_data_pb2.LayoutProto,
    "HloTile": xla_data_pb2.TileProto,
    "HloLiteral": xla_data_pb2.LiteralProto,
    "HloWindow": xla_data_pb2.Window,
    "HloWindowDimension": xla_data_pb2.WindowDimension,
    "HloConvolution": xla_data_pb2.ConvolutionDimensionNumbers,
    "HloDot": xla_data_pb2.DotDimensionNumbers,
    "HloPadding": xla_data_pb2.PaddingConfig,
    "HloPaddingDimension": xla_data_pb2.PaddingConfig.PaddingConfigDimension,
    "HloReplicaGroup": xla_data_pb2.ReplicaGroup,
    "HloDeviceList": xla_data_pb2.CollectiveDeviceListProto,
    "HloStackFrames": hlo_pb2.StackFrameIndexProto,
    "HloFileLocation": hlo_pb2.StackFrameIndexProto.FileLocation,
    "HloStackFrame": hlo_pb2.StackFrameIndexProto.StackFrame,
}

SERVICE = ("ProfileRequest", "ProfileResponse", "ProfileToolData", "MonitorRequest", "MonitorResponse")
"""TensorFlow brings these as C++ alone."""


def in_header(header: str, message: str) -> dict[str, int]:
    """Fields of a message as the header that the protobuf compiler made declares them."""
    found = re.search(rf"^class PROTOBUF_EXPORT {message} final .*?(?=^class |\Z)", header, re.DOTALL | re.MULTILINE)
    assert found, message
    numbers = re.findall(r"\bk(\w+)FieldNumber = (\d+)", found.group())
    return {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(): int(number) for name, number in numbers}


fields = {name: {field.name: field.number for field in message.DESCRIPTOR.fields} for name, message in MESSAGES.items()}
tensorflow = Path(str(import_module("tensorflow").__file__)).parent
service = (tensorflow / "include" / "tsl" / "profiler" / "protobuf" / "profiler_service.pb.h").read_text()
fields |= {message: in_header(service, message) for message in SERVICE}
print(json.dumps({"fields": fields, "types": dict(types_pb2.DataType.items())}))
