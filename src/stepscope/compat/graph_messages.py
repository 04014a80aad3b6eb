"""The messages of TensorFlow's graphs and run metadata: numbers, names and types of their fields, as text that is read once.

A line is `Message: number name type, …`; a type is a number, a text, `#Enumeration`, another message, or `{}Entry` for an entry of a
map. `*` stands for a list, and `?` for a field that is written even when it has the value that it has by default.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

_MESSAGES = """
GraphDef: 1 node NodeDef*, 2 library FunctionDefLibrary, 3 version int, 4 versions VersionDef, 5 debug_info GraphDebugInfo
NodeDef: 1 name string, 2 op string, 3 input string*, 4 device string, 5 attr {}NodeDef.AttrEntry*, 6 experimental_debug_info
  NodeDef.ExperimentalDebugInfo, 7 experimental_type FullTypeDef
NodeDef.AttrEntry: 1 key string, 2 value AttrValue
AttrValue: 1 list AttrValue.ListValue, 2 s bytes?, 3 i int?, 4 f float?, 5 b bool?, 6 type #DataType?, 7 shape TensorShapeProto,
  8 tensor TensorProto, 9 placeholder string?, 10 func NameAttrList
TensorShapeProto: 2 dim TensorShapeProto.Dim*, 3 unknown_rank bool
TensorShapeProto.Dim: 1 size int, 2 name string
TensorProto: 1 dtype #DataType, 2 tensor_shape TensorShapeProto, 3 version_number int, 4 tensor_content bytes, 5 float_val
  float*, 6 double_val double*, 7 int_val int*, 8 string_val bytes*, 9 scomplex_val float*, 10 int64_val int*, 11 bool_val
  bool*, 12 dcomplex_val double*, 13 half_val int*, 14 resource_handle_val ResourceHandleProto*, 15 variant_val
  VariantTensorDataProto*, 16 uint32_val uint*, 17 uint64_val uint*, 18 float8_val bytes
ResourceHandleProto: 1 device string, 2 container string, 3 name string, 4 hash_code uint, 5 maybe_type_name string, 6
  dtypes_and_shapes ResourceHandleProto.DtypeAndShape*
ResourceHandleProto.DtypeAndShape: 1 dtype #DataType, 2 shape TensorShapeProto
VariantTensorDataProto: 1 type_name string, 2 metadata bytes, 3 tensors TensorProto*
AttrValue.ListValue: 2 s bytes*, 3 i int*, 4 f float*, 5 b bool*, 6 type #DataType*, 7 shape TensorShapeProto*, 8 tensor
  TensorProto*, 9 func NameAttrList*
NameAttrList: 1 name string, 2 attr {}NameAttrList.AttrEntry*
NameAttrList.AttrEntry: 1 key string, 2 value AttrValue
NodeDef.ExperimentalDebugInfo: 1 original_node_names string*, 2 original_func_names string*
FullTypeDef: 1 type_id #FullTypeId, 2 args FullTypeDef*, 3 s string?, 4 i int?
VersionDef: 1 producer int, 2 min_consumer int, 3 bad_consumers int*
FunctionDefLibrary: 1 function FunctionDef*, 2 gradient GradientDef*, 3 registered_gradients RegisteredGradient*
FunctionDef: 1 signature OpDef, 3 node_def NodeDef*, 4 ret {}FunctionDef.RetEntry*, 5 attr {}FunctionDef.AttrEntry*, 6
  control_ret {}FunctionDef.ControlRetEntry*, 7 arg_attr {}FunctionDef.ArgAttrEntry*, 8 resource_arg_unique_id
  {}FunctionDef.ResourceArgUniqueIdEntry*
OpDef: 1 name string, 2 input_arg OpDef.ArgDef*, 3 output_arg OpDef.ArgDef*, 4 attr OpDef.AttrDef*, 5 summary string, 6
  description string, 8 deprecation OpDeprecation, 16 is_aggregate bool, 17 is_stateful bool, 18 is_commutative bool, 19
  allows_uninitialized_input bool, 20 control_output string*, 21 is_distributed_communication bool
OpDef.ArgDef: 1 name string, 2 description string, 3 type #DataType, 4 type_attr string, 5 number_attr string, 6 type_list_attr
  string, 7 handle_data ResourceHandleProto.DtypeAndShape*, 16 is_ref bool, 17 experimental_full_type FullTypeDef
OpDef.AttrDef: 1 name string, 2 type string, 3 default_value AttrValue, 4 description string, 5 has_minimum bool, 6 minimum int,
  7 allowed_values AttrValue
OpDeprecation: 1 version int, 2 explanation string
FunctionDef.AttrEntry: 1 key string, 2 value AttrValue
FunctionDef.ArgAttrEntry: 1 key uint, 2 value FunctionDef.ArgAttrs
FunctionDef.ArgAttrs: 1 attr {}FunctionDef.ArgAttrs.AttrEntry*
FunctionDef.ArgAttrs.AttrEntry: 1 key string, 2 value AttrValue
FunctionDef.ResourceArgUniqueIdEntry: 1 key uint, 2 value uint
FunctionDef.RetEntry: 1 key string, 2 value string
FunctionDef.ControlRetEntry: 1 key string, 2 value string
GradientDef: 1 function_name string, 2 gradient_func string
RegisteredGradient: 1 gradient_func string, 2 registered_op_type string
GraphDebugInfo: 1 files string*, 2 traces {}GraphDebugInfo.TracesEntry*, 4 frames_by_id {}GraphDebugInfo.FramesByIdEntry*, 5
  name_to_trace_id {}GraphDebugInfo.NameToTraceIdEntry*, 6 traces_by_id {}GraphDebugInfo.TracesByIdEntry*
GraphDebugInfo.FramesByIdEntry: 1 key fixed64?, 2 value GraphDebugInfo.FileLineCol
GraphDebugInfo.FileLineCol: 1 file_index int?, 2 line int?, 3 col int?, 4 func string?, 5 code string?
GraphDebugInfo.TracesByIdEntry: 1 key fixed64?, 2 value GraphDebugInfo.StackTrace
GraphDebugInfo.StackTrace: 1 file_line_cols GraphDebugInfo.FileLineCol*, 2 frame_id fixed64*
GraphDebugInfo.TracesEntry: 1 key string?, 2 value GraphDebugInfo.StackTrace
GraphDebugInfo.NameToTraceIdEntry: 1 key string?, 2 value fixed64?
RunMetadata: 1 step_stats StepStats, 2 cost_graph CostGraphDef, 3 partition_graphs GraphDef*, 4 function_graphs
  RunMetadata.FunctionGraphs*, 5 session_metadata SessionMetadata
StepStats: 1 dev_stats DeviceStepStats*
DeviceStepStats: 1 device string, 2 node_stats NodeExecStats*, 3 thread_names {}DeviceStepStats.ThreadNamesEntry*
NodeExecStats: 1 node_name string, 2 all_start_micros int, 3 op_start_rel_micros int, 4 op_end_rel_micros int, 5
  all_end_rel_micros int, 6 memory AllocatorMemoryUsed*, 7 output NodeOutput*, 8 timeline_label string, 9 scheduled_micros int,
  10 thread_id uint, 11 referenced_tensor AllocationDescription*, 12 memory_stats MemoryStats, 13 all_start_nanos int, 14
  op_start_rel_nanos int, 15 op_end_rel_nanos int, 16 all_end_rel_nanos int, 17 scheduled_nanos int
AllocatorMemoryUsed: 1 allocator_name string, 2 total_bytes int, 3 peak_bytes int, 4 live_bytes int, 5 allocator_bytes_in_use
  int, 6 allocation_records AllocationRecord*
AllocationRecord: 1 alloc_micros int, 2 alloc_bytes int
NodeOutput: 1 slot int, 3 tensor_description TensorDescription
TensorDescription: 1 dtype #DataType, 2 shape TensorShapeProto, 4 allocation_description AllocationDescription
AllocationDescription: 1 requested_bytes int, 2 allocated_bytes int, 3 allocator_name string, 4 allocation_id int, 5
  has_single_reference bool, 6 ptr uint
MemoryStats: 1 temp_memory_size int, 2 device_temp_memory_size int, 3 persistent_memory_size int, 4
  device_persistent_memory_size int, 5 persistent_tensor_alloc_ids int*, 6 device_persistent_tensor_alloc_ids int*
DeviceStepStats.ThreadNamesEntry: 1 key uint, 2 value string
CostGraphDef: 1 node CostGraphDef.Node*, 2 cost CostGraphDef.AggregatedCost*
CostGraphDef.Node: 1 name string, 2 device string, 3 id int, 4 input_info CostGraphDef.Node.InputInfo*, 5 output_info
  CostGraphDef.Node.OutputInfo*, 6 temporary_memory_size int, 7 is_final bool, 8 control_input int*, 9 compute_cost int, 10
  host_temp_memory_size int, 11 device_temp_memory_size int, 12 persistent_memory_size int, 14 compute_time int, 15 memory_time
  int, 16 device_persistent_memory_size int, 17 inaccurate bool
CostGraphDef.Node.InputInfo: 1 preceding_node int, 2 preceding_port int
CostGraphDef.Node.OutputInfo: 1 size int, 2 alias_input_port int, 3 shape TensorShapeProto, 4 dtype #DataType
CostGraphDef.AggregatedCost: 1 cost float, 2 dimension string
RunMetadata.FunctionGraphs: 1 partition_graphs GraphDef*, 2 pre_optimization_graph GraphDef, 3 post_optimization_graph GraphDef
SessionMetadata: 1 name string, 2 version int
"""
_ENUMERATIONS = """
DataType: 0 DT_INVALID, 1 DT_FLOAT, 2 DT_DOUBLE, 3 DT_INT32, 4 DT_UINT8, 5 DT_INT16, 6 DT_INT8, 7 DT_STRING, 8 DT_COMPLEX64, 9
  DT_INT64, 10 DT_BOOL, 11 DT_QINT8, 12 DT_QUINT8, 13 DT_QINT32, 14 DT_BFLOAT16, 15 DT_QINT16, 16 DT_QUINT16, 17 DT_UINT16, 18
  DT_COMPLEX128, 19 DT_HALF, 20 DT_RESOURCE, 21 DT_VARIANT, 22 DT_UINT32, 23 DT_UINT64, 24 DT_FLOAT8_E5M2, 25 DT_FLOAT8_E4M3FN,
  26 DT_FLOAT8_E4M3FNUZ, 27 DT_FLOAT8_E4M3B11FNUZ, 28 DT_FLOAT8_E5M2FNUZ, 29 DT_INT4, 30 DT_UINT4, 31 DT_INT2, 32 DT_UINT2, 33
  DT_FLOAT4_E2M1FN, 101 DT_FLOAT_REF, 102 DT_DOUBLE_REF, 103 DT_INT32_REF, 104 DT_UINT8_REF, 105 DT_INT16_REF, 106 DT_INT8_REF,
  107 DT_STRING_REF, 108 DT_COMPLEX64_REF, 109 DT_INT64_REF, 110 DT_BOOL_REF, 111 DT_QINT8_REF, 112 DT_QUINT8_REF, 113
  DT_QINT32_REF, 114 DT_BFLOAT16_REF, 115 DT_QINT16_REF, 116 DT_QUINT16_REF, 117 DT_UINT16_REF, 118 DT_COMPLEX128_REF, 119
  DT_HALF_REF, 120 DT_RESOURCE_REF, 121 DT_VARIANT_REF, 122 DT_UINT32_REF, 123 DT_UINT64_REF, 124 DT_FLOAT8_E5M2_REF, 125
  DT_FLOAT8_E4M3FN_REF, 126 DT_FLOAT8_E4M3FNUZ_REF, 127 DT_FLOAT8_E4M3B11FNUZ_REF, 128 DT_FLOAT8_E5M2FNUZ_REF, 129 DT_INT4_REF,
  130 DT_UINT4_REF, 131 DT_INT2_REF, 132 DT_UINT2_REF, 133 DT_FLOAT4_E2M1FN_REF
FullTypeId: 0 TFT_UNSET, 1 TFT_VAR, 2 TFT_ANY, 3 TFT_PRODUCT, 4 TFT_NAMED, 20 TFT_FOR_EACH, 100 TFT_CALLABLE, 200 TFT_BOOL, 201
  TFT_UINT8, 202 TFT_UINT16, 203 TFT_UINT32, 204 TFT_UINT64, 205 TFT_INT8, 206 TFT_INT16, 207 TFT_INT32, 208 TFT_INT64, 209
  TFT_HALF, 210 TFT_FLOAT, 211 TFT_DOUBLE, 212 TFT_COMPLEX64, 213 TFT_COMPLEX128, 214 TFT_STRING, 215 TFT_BFLOAT16, 1000
  TFT_TENSOR, 1001 TFT_ARRAY, 1002 TFT_OPTIONAL, 1003 TFT_LITERAL, 1004 TFT_ENCODED, 1005 TFT_SHAPE_TENSOR, 10102 TFT_DATASET,
  10103 TFT_RAGGED, 10104 TFT_ITERATOR, 10202 TFT_MUTEX_LOCK, 10203 TFT_LEGACY_VARIANT
"""


@dataclass(frozen=True, slots=True)
class FieldType:
    """One field of a message."""

    name: str
    type: str
    """A plain type, or the name of a message or enumeration."""
    is_list: bool = False
    is_always: bool = False
    """Whether it is written whatever its value."""
    is_map: bool = False
    is_enum: bool = False


@cache
def messages() -> dict[str, dict[int, FieldType]]:
    """Every message: its fields by number, in order."""
    return {name: {int(number): _field_type(each, type_) for number, each, type_ in rows} for name, rows in _entries(_MESSAGES)}


@cache
def enumerations() -> dict[str, dict[int, str]]:
    """Every enumeration: its names by number."""
    return {name: {int(number): each for number, each in rows} for name, rows in _entries(_ENUMERATIONS)}


def _entries(text: str) -> list[tuple[str, list[list[str]]]]:
    lines = text.strip().replace("\n  ", " ").splitlines()
    return [(name, [entry.split() for entry in rest.split(",")]) for name, _, rest in (line.partition(":") for line in lines)]


def _field_type(name: str, text: str) -> FieldType:
    plain = text.rstrip("*?")
    return FieldType(name, plain.lstrip("#{}"), text.endswith("*"), text.endswith("?"), plain.startswith("{}"), plain.startswith("#"))
