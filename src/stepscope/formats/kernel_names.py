"""What a kernel's name tells: a short form that fits a table, its family, whether it runs on matrix units, and on which numbers.

The tables are data, asked from the top: the first pattern that is found decides. Each is something that a library documents as part
of its names, or that real profiles show (tests/formats/test_kernel_names.py has them); a product whose name says neither is unknown.

- Shapes of matrix instructions: PTX ISA, "Warp-level matrix instructions" (mma and wmma).
- Names of instructions (HMMA to QMMA, HGMMA and its kin, UTCHMMA and its kin): CUDA Binary Utilities, "Instruction Set Reference".
- simt, tensorop, wmma_tensorop, and the letter of the sum's type (h, s, d, i, c, z): CUTLASS, "Functionality" and "CUTLASS Profiler".
- Cijk_, MT and MI, and the letters of the types (SB, HHS, BBS): Tensile, "Nomenclature" and "Kernel parameters".
- xdl and ck_tile: Composable Kernel.
- nvjet, xmma (with tensor16x8x8 or ffma at its end), scudnn, gemv, splitKreduce, fmhaSm100: profiles of V100, A100, H100 and B200.
- gtcx and the variants of Cijk: profiles of MI210, MI300X and gfx950.
- ncclDevKernel_: NCCL's profiles. triton_, gemm_fusion: kernels that torch.compile and XLA name.
"""

from __future__ import annotations

import re
from functools import lru_cache

_MOST_READ = 4096  # letters of a name; mangled ones can be very long

FAMILIES: tuple[tuple[str, str], ...] = (
    ("communication", r"nccl|rccl|multimem_all|all_?reduce_kernel|cross_device_reduce|nvshmem|deep_?ep|one_?shot|two_?shot_all"),
    ("layout", r"reshape_and_cache|compute\w*offsets|reduce_wgrad|helper$"),
    ("quantization", r"quant(?!ile)"),
    ("attention", r"flash|fmha|attention|attn|mha_(?:fwd|bwd)|sdpa|paged_(?:kv|cache)|mla_"),
    (
        "convolution",
        r"conv(?!ert)|[s\d]cudnn|wgrad|dgrad|fprop|implicit_gemm|winograd|igemm_(?:fwd|bwd|wrw)|miopen(?:Sp3Asm)?Conv|im2col|col2im|depthwise",
    ),
    ("matmul", r"gemm|gemv|matmul|nvjet|cijk_|bmm|(?:^|_)mm(?:_|$)|cublas|splitKreduce|_dot(?:_|$)|wmma|mfma|cutlass"),
    ("normalization", r"(?:batch|layer|group|rms|instance)_?norm|bn_(?:fw|bw)|welford|normali[sz]|gammabeta"),
    ("softmax", r"softmax|cross_?entropy|nll_?loss|nllcriterion"),
    ("optimizer", r"adam|sgd|multi_tensor_apply|lamb_|optimizer"),
    ("embedding", r"embedding|index_?select|gather|scatter|index_put|indexing|_index_|indices"),
    ("random", r"philox|random|dropout|distribution_"),
    ("sorting", r"sort|topk|scan|cumsum|histogram|unique"),
    ("pooling", r"pool"),
    ("layout", r"transpose|permute|nchw|nhwc|copy|cat_?array|concat|pad|reformat|convert_tensor|cast"),
    ("reduction", r"reduc|sum_kernel|argmax|mean_"),
    ("elementwise", r"elementwise|pointwise|tensorop|scalepacked|vectorized|unrolled|fill|add|mul|relu|gelu|silu|tanh|sigmoid|_where"),
    ("fusion", r"triton|fusion|fused"),
)
"""Family and pattern, letters of either case."""

_MMA_SHAPES = ("884", "8816", "8832", "1684", "1688", "16816", "16832", "16864", "16168", "161616", "32816", "83216")
"""Rows, columns and depth of one matrix instruction, as cuBLAS, cuDNN and CUTLASS write them behind the letter of the sum's type."""

_MATRIX_UNITS: tuple[tuple[bool, str], ...] = (
    # Not on matrix units although the name speaks of products.
    (False, r"_simt_|simt_|gemv|(?:^|[^a-z])(?:volta|ampere|maxwell|turing|pascal|hopper)_(?:sgemm|dgemm|cgemm|zgemm|scudnn|gcgemm)"),
    (False, r"gemmk1|gemmSN|dot_kernel|splitKreduce|reduceSplitK|ffma|_engine|convolve_sgemm|magma_"),
    (False, r"im2col|col2im|winograd(?!.*(?:hmma|884|1688))"),
    # NVIDIA: the shape of the instruction, the instruction, the class of the operation.
    (True, rf"(?<![a-z])[hsdicz](?:{'|'.join(_MMA_SHAPES)})(?!\d)"),
    (True, r"[hidbqo]g?mma|utc[hiqo]mma|wmma|wgmma|tcgen05"),
    (True, r"(?:^|[_\d])tensorop|tensor_op|(?:^|_)xmma_|tensor\d+x\d+x\d+"),
    (True, r"nvjet_|sm90_|sm100|sm103|sm120|umma|cutlass3x"),
    (True, r"(?:bmm|gemm)_(?:mx)?(?:e[2-5]m[0-3]|bfloat16|fp8|fp4|nvfp4)|fmha_?sm\d|fmhasm|deep_gemm|scaled_mm"),
    (True, r"flash_(?:fwd|bwd)|flash::|flashattn|fmha_(?:fwd|bwd|v2|cutlass)|pytorch_flash"),
    # AMD: matrix instructions by shape, Composable Kernel's and MIOpen's names for them.
    (True, r"cijk_.*_MI(?:16|32|4)x|mfma|xdl|gtcx|ck_tile|smfmac|_fp8_.*asm|f4gemm|fmoe_.*(?:fp8|bf16)"),
    (False, r"cijk_"),
    # Compilers that lower dot products to matrix instructions.
    (True, r"gemm_fusion|triton_(?:tem|mm|gemm)|triton_.*_(?:mm|bmm|addmm)(?:_|$)|_gemm_kernel.*triton|cudnn.*flash"),
)
_FORMAT_PATTERNS: tuple[tuple[str, str], ...] = (
    ("fp4", r"fp4|e2m1|f4gemm"),
    ("fp8", r"fp8|e4m3|e5m2|f8f8"),
    ("tf32", r"tf32|s1688(?!.*(?:f16|fp16))"),
    ("fp16", r"bf16|fp16|f16|half|h884|s884|h1688|16816|hmma|_BBS_|_HHS_|_HSS_|nvjet_[ht]|bfloat16"),
    ("fp32", r"sgemm|ffma|fp32|f32f32|_SB_|_S_B_|simt"),
)
_FORMAT_RULES = [(name, re.compile(pattern, re.IGNORECASE if name != "fp32" else 0)) for name, pattern in _FORMAT_PATTERNS]
_PRODUCTS = {"matmul", "convolution", "attention"}

# In small letters, and asked of names in small letters: three to seven times as fast as re.IGNORECASE, which cannot skip ahead.
_FAMILY_RULES = [(family, re.compile(pattern.lower())) for family, pattern in FAMILIES]
_MATRIX_RULES = [(uses, re.compile(pattern.lower())) for uses, pattern in _MATRIX_UNITS]
_ELIGIBLE = re.compile(
    r"(?:^|[:/_.])(?:conv(?!ert)\w*|mm|addmm|bmm|baddbmm|linear|matmul\w*|batchmatmul\w*|einsum|xlaeinsum|dot\w*|lstm\w*|gru\w*|rnn\w*|cudnnrnn\w*"
    r"|scaled_dot_product\w*|_?scaled_mm|\w*attention\w*|depthwiseconv\w*|fusedmatmul|_fusedconv2d|xladot\w*)(?:$|[:/_.(\d])",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def family_of(name: str) -> str:
    """The first family whose pattern is in the short name, else in the whole one, else "other".

    Namespaces and template arguments mislead: fbgemm_gpu::permute is no product.
    """
    for text in dict.fromkeys((short_name(name).lower(), name[:_MOST_READ].lower())):
        found = next((family for family, pattern in _FAMILY_RULES if pattern.search(text)), None)
        if found is not None:
            return found
    return "other"


@lru_cache(maxsize=65536)
def uses_matrix_units(name: str) -> bool | None:
    """Whether the kernel multiplies on matrix units (tensor cores); None when it is a product whose naming is unknown."""
    head = name[:_MOST_READ].lower()
    decided = next((uses for uses, pattern in _MATRIX_RULES if pattern.search(head)), None)
    if decided is not None:
        return decided
    return None if family_of(name) in _PRODUCTS else False


@lru_cache(maxsize=65536)
def could_use_matrix_units(op: str, kernel: str) -> bool:
    """Whether the operation is one that matrix units are made for: products, convolutions, attention, recurrent cells."""
    return bool(_ELIGIBLE.search(op[:_MOST_READ])) or uses_matrix_units(kernel) is True


@lru_cache(maxsize=65536)
def number_format(kernel: str) -> str | None:
    """The format of the numbers that a product kernel multiplies, as its name tells; None when it does not."""
    return next((name for name, pattern in _FORMAT_RULES if pattern.search(kernel[:4096])), None)


@lru_cache(maxsize=65536)
def short_name(name: str) -> str:
    """The name without return type, namespaces, template arguments and parameters; what is no C++ name stays as it is."""
    text = name[:_MOST_READ].strip()
    if text.startswith("_ZN"):
        return _last_of_mangled(text) or text
    if "<" not in text and "(" not in text:
        return text.rsplit("::", 1)[-1] if re.fullmatch(r"[\w:]+", text) else text
    text = text.replace("(anonymous namespace)::", "")
    plain = _without_brackets(text).rsplit("::", 1)[-1].split(" ")[-1]
    if plain.lower() in _WRAPPERS and "<" in text:
        inner = re.match(r"\s*([\w:]+)", text.split("<", 1)[1])
        return inner[1].rsplit("::", 1)[-1] if inner else plain
    return plain or text


_WRAPPERS = {"kernel", "kernel2", "device_kernel"}
"""Names that say nothing; the first template argument does."""


def _last_of_mangled(text: str) -> str:
    """The innermost name of a mangled one: numbers in it say how long each part is."""
    place, last = 3, ""
    while (match := re.compile(r"\d{1,3}").match(text, place)) is not None:
        place = match.end() + int(match[0])
        last = text[match.end() : place] or last
    return last


def _without_brackets(text: str) -> str:
    """Drops everything in angle brackets and from the first parenthesis outside them."""
    kept: list[str] = []
    depth = 0
    for letter in text:
        if letter == "<":
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif letter == "(" and not depth:
            break
        elif not depth:
            kept.append(letter)
    return "".join(kept)
