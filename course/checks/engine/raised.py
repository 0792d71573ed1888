"""What PyTorch's own words mean to somebody who meets them for the first time: a cause and a next step.

Said after the words themselves, which a search engine knows. The patterns are of messages that beginners raise first.
"""

import re

MEANINGS: tuple[tuple[str, str], ...] = (
    (
        "Boolean value of Tensor with more than one value is ambiguous",
        "`and`, `or`, `not` and `if` ask for one truth value. Between tensors write `&`, `|` and `~`, and choose "
        "with `torch.where`.",
    ),
    (
        "only (one element|integer) tensors .*(can be converted|to Python scalars)|"
        "a Tensor with .* elements cannot be converted to Scalar",
        "A whole tensor was given to something that takes one number, as Python's `math`, `int`, `float` and "
        "`range` do. `torch` has `math`'s functions for tensors.",
    ),
    (
        "mat1 and mat2 shapes cannot be multiplied|size mismatch, got input|expected m1 and m2|"
        "Expected size for first two dimensions of batch2",
        "In a product the last axis on the left and the last but one on the right must have the same size. A "
        "layer's weight is (out, in): `x @ weight.T`.",
    ),
    (
        "The size of tensor a .* must match the size of tensor b .* at non-singleton|inconsistent tensor size|"
        "expects each tensor to be equal size|Sizes of tensors must match",
        "Two shapes do not fit. Write them down, one below the other, axis by axis from the right, and say of each "
        "axis what it counts.",
    ),
    (
        "is invalid for input of size",
        "The numbers of the tensor do not fill that shape: multiply its sizes, and say of each what it counts.",
    ),
    (
        "'NoneType' object",
        "None stands where something else was meant. It may come from a function without a `return`, or be an "
        "argument that is left out.",
    ),
    (
        r"'(list|tuple|dict|int|float|bool)' object has no attribute '(\w+)'",
        "That is a method of tensors, and this is not one: `torch.tensor` makes a tensor of numbers, `torch.stack` "
        "one of tensors.",
    ),
    (
        "view size is not compatible with input tensor's size and stride",
        "`view` needs a tensor that lies in one piece: `reshape` takes any.",
    ),
    (
        "leaf Variable that requires grad is being used in an in-place operation|a view of a leaf Variable that "
        "requires grad|modified by an inplace operation|more than one element of the written-to tensor refers",
        "A tensor is changed in place that is still needed as it was: make a new one.",
    ),
    (
        "does not require grad and does not have a grad_fn",
        "Nothing in it leads back to a parameter: it was cut from the graph, or made anew from numbers.",
    ),
    (
        "Index tensor must have the same number of dimensions",
        "`gather` wants an index with as many axes as its input has.",
    ),
    (
        "index .* is out of bounds for dimension|index out of range",
        "An index is beyond the end of its axis: there are fewer than the code counts on, or they count from 0.",
    ),
    (
        "expected scalar type|must have the same dtype|Expected floating point type|result type Float can't "
        "be cast|have same dtype|could not infer output dtype|source and destination dtypes match",
        "Two kinds of number meet: convert one to the other's, with an argument's own `.dtype`.",
    ),
    (
        "not implemented for '(Long|Bool|Int)'",
        "This function does not take numbers of that kind. Most take floating-point ones: `.float()` makes them.",
    ),
    (
        "'indices' to have one of the following scalar types|index tensor of type LongTensor|tensors used as indices",
        "Indices are whole numbers, int64: `.long()` makes them of others.",
    ),
    (
        "The shape of the mask .* does not match the shape of the indexed tensor",
        "A mask as an index has just the sizes of the axes that it chooses from: `expand` it first, or take "
        "`masked_fill` or `torch.where`, which broadcast.",
    ),
    (
        "expects a non-empty TensorList|expected a non-empty list of Tensors",
        "There is nothing to put together: the list is empty. What fills it was left out, or left too early.",
    ),
    (
        "selected index k out of range",
        "More of the largest are asked for than there are numbers on that axis: `min(k, x.shape[-1])` of them.",
    ),
    ("only supports boolean masks", "A mask is made of truth values: a comparison gives them, and `.bool()`."),
    (
        "must have same number of dimensions|Dimension out of range|Dimension specified as",
        "It has fewer axes than the code counts on: `unsqueeze` adds one, and -1 is the last whatever their number.",
    ),
    ("cannot unpack non-iterable NoneType", "Nothing came back: is a `return` missing?"),
    (
        "not enough values to unpack|too many values to unpack",
        "Something is taken apart into another number of values than it has.",
    ),
)


def meaning(message: str) -> str:
    """What a message of PyTorch's or Python's means, in a sentence or two; "" for one that is not known."""
    return next((sentence for pattern, sentence in MEANINGS if re.search(pattern, message)), "")
