"""Exports a PyTorch model to the two files that describe it in a scenario: its layers, and their times.

    from starling_export import export
    export(model, lambda: criterion(model(images), labels), name="my_model", batch_size=64)

writes my_model.json (`starling schema model`) and my_model_profile.json (`starling schema profile`), and
prints how a scenario refers to them. The function that is passed runs one forward pass, with or without
autocast, on a GPU or a CPU, and returns the loss. Needs PyTorch 1.13 or later, and nothing else.

A layer is a module that has parameters of its own. Its forward pass lasts from its start to the start of the
next layer, so operations without parameters (activations, attention products, residual sums, the loss) count
in the layer before them. Layers are in the order in which they first start. The backward pass of a layer
lasts from when all gradients of the following layer are complete to when its own are. Parameters that are not
trained are not communicated, and modules that have only such parameters are no layers. The weights of a
module that is never called itself belong to the module around it (for example the output projection of
torch.nn.MultiheadAttention).

Operations are counted as in the models that Starling ships: 2 per multiply-accumulate of convolutions, matrix
products and attention, 4 per element of normalizations, 1 per element of embeddings, nothing else. The counts
matter only where a scenario does not use the profile.
"""

import contextlib
import json
import operator
import pathlib
import statistics
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode

FLOPS_RULE = (
    "2*MACs for convolutions, products of matrices and attention; normalization layers 4 per activation "
    "element; embeddings 1 per output element; nothing else"
)
GRADIENT_DTYPES = {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}
LARGEST_BATCH = 1 << 24  # that a scenario accepts


@torch.enable_grad()
def export(model, loss_of, name, batch_size, folder=".", warm_up=5, repeats=25):
    """Writes FOLDER/NAME.json and FOLDER/NAME_profile.json and returns their paths.

    `loss_of` takes no arguments, runs the forward pass of `batch_size` samples and returns the loss, a tensor
    of one element on the model's device. It is called 2 * (warm_up + repeats) + 2 times, each call but one
    followed by a backward pass: statistics of batch normalization change, gradients are discarded, weights
    stay. Layer times are medians of `repeats` iterations. They are scaled to totals, which are medians of as
    many other iterations, in which only the ends of the passes are timed.

    Raises ValueError for a model without trained parameters, for parameters that get no gradient or are on
    several devices, for devices other than CPU and CUDA, for gradients of a type that scenarios lack
    (float64), for models that communicate during the measurement or are compiled by torch.jit, and for
    invalid arguments; OSError if the files cannot be written. All of this is checked before anything is
    measured; gradients are checked in every iteration, too.
    """
    batch_size = _whole_number("batch_size", batch_size, 1, LARGEST_BATCH)
    warm_up = _whole_number("warm_up", warm_up, 0)
    repeats = _whole_number("repeats", repeats, 1)
    paths = _writable_paths(folder, name)
    _check_model(model, loss_of)
    clock = _clock_of(model)
    layers = _layers_of(model, loss_of)
    _gradient_dtype(layers)
    _count_work(layers, loss_of)
    iterations = _measure(model, loss_of, clock, warm_up, repeats)
    totals_s = [statistics.median(times) for times in zip(*iterations)]
    of_layers = _measure_layers(model, layers, loss_of, clock, warm_up, repeats)
    forward_s, backward_s = (_scaled(times, total_s) for times, total_s in zip(of_layers, totals_s))

    source = f"measured on {clock.device_name}, PyTorch {torch.__version__}"
    _write(paths[0], _model_table(layers, name, batch_size))
    _write(paths[1], _profile(layers, forward_s, backward_s, name, batch_size, source))
    _tell(layers, paths, batch_size, iterations)
    return paths


class _Layer:
    def __init__(self, name, module):
        self.name = name
        self.module = module
        self.parameters = {}  # by name
        self.sparse = []  # names of parameters with sparse gradients
        self.work = 0.0  # floating-point operations of a whole batch


def _whole_number(name, value, least, most=None):
    range_text = f"{least} to {most}" if most else f"{least} or more"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if isinstance(value, bool) or number is None or number < least or (most and number > most):
        raise ValueError(f"{name} must be a whole number, {range_text}, but is {value!r}")
    return number


def _writable_paths(folder, name):
    """Returns the paths of both files after checking that they can be written; keeps existing files."""
    if not isinstance(name, str) or pathlib.PurePath(name).name != name or not (name and name.isprintable()):
        raise ValueError(f"name must be a file's, without its folder (argument folder), but is {name!r}")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / f"{name}.json", folder / f"{name}_profile.json"
    for path in paths:
        try:
            path.open("xb").close()
        except FileExistsError:
            path.open("ab").close()
        else:
            path.unlink()
    return paths


def _check_model(model, loss_of):
    if not isinstance(model, torch.nn.Module):
        raise ValueError(f"model must be a torch.nn.Module, but is a {type(model).__name__}")
    if not callable(loss_of):
        kind = type(loss_of).__name__
        raise ValueError(f"loss_of must be a function that returns the loss, but is a {kind}")
    parallel = torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel
    for name, module in model.named_modules():
        what = f"{name or 'model'} is a {type(module).__name__}"
        if isinstance(module, parallel):
            raise ValueError(f"{what}, which communicates: export what is in it (its .module)")
        if isinstance(module, torch.jit.ScriptModule) and _trains(module):
            raise ValueError(f"{what}, in which torch.jit has no layers: export the model before")


def _trains(module):
    return any(parameter.requires_grad for parameter in module.parameters())


def _trained(model):
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def _clock_of(model):
    devices = {parameter.device for parameter in _trained(model).values()}
    if not devices:
        raise ValueError("the model has no parameters that are trained")
    if len(devices) > 1:
        names = ", ".join(sorted(map(str, devices)))
        raise ValueError(f"the model's parameters are on several devices: {names}")
    device = devices.pop()
    clocks = {"cpu": _CpuClock, "cuda": _CudaClock}
    if device.type not in clocks:
        raise ValueError(f"cannot measure on {device.type}, but on cpu and cuda")
    return clocks[device.type](device)


class _CpuClock:
    def __init__(self, device):
        self.device_name = f"a CPU by {torch.get_num_threads()} threads"

    def now(self):
        return time.perf_counter()

    def wait(self):
        pass

    def between_s(self, begin, end):
        return end - begin


class _CudaClock:
    """Timestamps are events of the CUDA stream, so the host does not wait for the GPU during an iteration."""

    def __init__(self, device):
        self.device = device
        self.device_name = torch.cuda.get_device_name(device)

    def now(self):
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self.device))
        return event

    def wait(self):
        torch.cuda.synchronize(self.device)

    def between_s(self, begin, end):
        return begin.elapsed_time(end) / 1e3


def _layers_of(model, loss_of):
    """Returns the layers in the order in which they first start, and runs one iteration to check them."""
    called = {}  # by module, in order
    names = {module: name for name, module in model.named_modules() if _trains(module)}
    model.zero_grad(set_to_none=True)
    with contextlib.ExitStack() as hooks:
        for module in names:
            hook = module.register_forward_pre_hook(lambda module, _: called.setdefault(module))
            hooks.callback(hook.remove)
        loss = loss_of()
    _check_loss(model, loss)
    by_name = {name: module for module, name in names.items() if module in called}
    owners = {}
    unused = []
    for name, parameter in _trained(model).items():
        owner = name.rpartition(".")[0]
        while owner and owner not in by_name:
            owner = owner.rpartition(".")[0]
        if owner not in by_name:
            unused.append(name)
            continue
        layer = owners.setdefault(by_name[owner], _Layer(owner or "root", by_name[owner]))
        if parameter.numel() > 0:
            layer.parameters[name] = parameter
    if unused:
        raise ValueError(f"nothing that the loss needs has these parameters: {_listed(unused)}")
    layers = [owners[module] for module in called if module in owners and owners[module].parameters]
    if not layers:
        raise ValueError("the model's parameters have no elements")
    _check_gradients(model, layers, loss)
    return layers


def _check_loss(model, loss):
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        what = f"one of {loss.numel()}" if isinstance(loss, torch.Tensor) else f"a {type(loss).__name__}"
        raise ValueError(f"loss_of must return the loss, a tensor of one element, but returns {what}")
    if any(parameter.grad is not None for parameter in model.parameters()):
        raise ValueError("loss_of must leave the backward pass to export, but computes gradients")
    if not loss.requires_grad:
        raise ValueError("the loss does not depend on any trained parameter, or gradients are disabled")


def _check_gradients(model, layers, loss):
    """Runs the backward pass and checks that all parameters get gradients; notes which are sparse."""
    complete = set()
    with _when_gradients_are_complete(layers, lambda place, name: complete.add(name)):
        loss.backward()
    without = [name for layer in layers for name in layer.parameters if name not in complete]
    if without:
        raise ValueError(f"the loss does not depend on these parameters: {_listed(without)}")
    for layer in layers:
        gradients = {name: parameter.grad for name, parameter in layer.parameters.items()}
        layer.sparse = [name for name, grad in gradients.items() if grad is not None and grad.is_sparse]
    model.zero_grad(set_to_none=True)


def _listed(names, most=8):
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join(names[:most] + more)


def _gradient_dtype(layers):
    """Returns the type of most elements, as a scenario has one for all, and the elements of each type."""
    elements = {}
    for layer in layers:
        for parameter in layer.parameters.values():
            elements[parameter.dtype] = elements.get(parameter.dtype, 0) + parameter.numel()
    dtype = max(elements, key=elements.get)
    if dtype not in GRADIENT_DTYPES:
        known = ", ".join(map(str, GRADIENT_DTYPES))
        raise ValueError(f"most parameters are {dtype}, but gradients of a scenario are one of {known}")
    return dtype, elements


@contextlib.contextmanager
def _when_layers_begin(layers, act):
    """Calls act(index of the layer) whenever a layer starts."""
    with contextlib.ExitStack() as hooks:
        for place, layer in enumerate(layers):
            hook = layer.module.register_forward_pre_hook(lambda *_, place=place: act(place))
            hooks.callback(hook.remove)
        yield


@contextlib.contextmanager
def _when_gradients_are_complete(layers, act):
    """Calls act(index of the layer, name) whenever the gradient of one of its parameters is complete."""
    kept = []
    with contextlib.ExitStack() as hooks:
        for place, layer in enumerate(layers):
            for name, parameter in layer.parameters.items():
                accumulation = parameter.expand_as(parameter).grad_fn.next_functions[0][0]
                hook = accumulation.register_hook(lambda *_, place=place, name=name: act(place, name))
                hooks.callback(hook.remove)
                kept.append(accumulation)  # nothing else keeps it and its hook alive
        yield


def _count_work(layers, loss_of):
    """Adds to each layer its operations; those before the first layer starts count in the first layer."""
    counter = _WorkCounter()
    current = layers[0]

    def switch_to(place):
        nonlocal current
        current.work += counter.take()
        current = layers[place]

    with _when_layers_begin(layers, switch_to), counter:
        loss_of()
    current.work += counter.take()


class _WorkCounter(TorchDispatchMode):
    """Counts the floating-point operations of everything that runs in its context."""

    def __init__(self):
        super().__init__()
        self.work = 0.0

    def take(self):
        work, self.work = self.work, 0.0
        return work

    def __torch_dispatch__(self, operation, types, arguments=(), options=None):
        result = operation(*arguments, **(options or {}))
        law = _WORK.get(operation._schema.name.partition("::")[2])
        if law is not None:
            self.work += law(arguments, result[0] if isinstance(result, (tuple, list)) else result)
        return result


def _of_product(left):
    """For each element of the result, a row of argument number `left` is multiplied element by element."""
    return lambda arguments, result: 2 * result.numel() * arguments[left].shape[-1]


def _of_convolution(arguments, result):
    inputs, weights = arguments[0], arguments[1]
    transposed = len(arguments) > 6 and arguments[6] is True
    return 2 * (inputs if transposed else result).numel() * weights[0].numel()


def _of_attention(arguments, result):
    queries, keys = arguments[0], arguments[1]
    return 2 * (queries.numel() + result.numel()) * keys.shape[-2]


def _of_recurrence(arguments, result):
    inputs = arguments[0]
    weights = arguments[1] if isinstance(arguments[1], (tuple, list)) else arguments[1:3]
    return 2 * sum(w.numel() for w in weights if w.dim() > 1) * inputs.numel() / inputs.shape[-1]


def _of_self_attention(inputs, *weights):
    """Projections and attention products; also for nested tensors, whose sentences differ in length."""
    projections = sum(w.numel() for w in weights) * inputs.numel() / weights[0].shape[-1]
    return 2 * projections + sum(4 * sentence.numel() * len(sentence) for sentence in inputs.unbind())


def _of_encoder_layer(arguments, result):
    inputs, width = arguments[:2]
    products = 2 * (arguments[14].numel() + arguments[16].numel()) * inputs.numel() / width
    return _of_self_attention(inputs, arguments[3], arguments[5]) + products + 8 * inputs.numel()


def _of_normalization(arguments, result):
    return 4 * arguments[0].numel()


_WORK = {
    "mm": _of_product(0),
    "bmm": _of_product(0),
    "mv": _of_product(0),
    "dot": lambda arguments, result: 2 * arguments[0].numel(),
    "addmm": _of_product(1),
    "baddbmm": _of_product(1),
    "addmv": _of_product(1),
    "embedding": lambda arguments, result: result.numel(),
    "_embedding_bag": lambda arguments, result: result.numel(),
    "_embedding_bag_forward_only": lambda arguments, result: result.numel(),
    "_transformer_encoder_layer_fwd": _of_encoder_layer,
    "_native_multi_head_attention": lambda arguments, result: _of_self_attention(
        arguments[0], arguments[5], arguments[7]
    ),
    **dict.fromkeys(("convolution", "_convolution", "convolution_overrideable"), _of_convolution),
    **dict.fromkeys(
        (
            "native_batch_norm",
            "_native_batch_norm_legit",
            "_batch_norm_with_update",
            "cudnn_batch_norm",
            "miopen_batch_norm",
            "native_layer_norm",
            "native_group_norm",
            "_fused_rms_norm",
        ),
        _of_normalization,
    ),
    **dict.fromkeys(
        (
            "_scaled_dot_product_flash_attention",
            "_scaled_dot_product_flash_attention_for_cpu",
            "_scaled_dot_product_efficient_attention",
            "_scaled_dot_product_cudnn_attention",
        ),
        _of_attention,
    ),
    **dict.fromkeys(("_cudnn_rnn", "mkldnn_rnn_layer"), _of_recurrence),
}


def _iterate(model, loss_of, clock, forward_ended=lambda: None):
    """Runs an iteration. Returns the start of the forward pass, its end, and the end of the backward pass."""
    model.zero_grad(set_to_none=True)
    clock.wait()
    begin = clock.now()
    loss = loss_of()
    middle = clock.now()
    forward_ended()
    loss.backward()
    end = clock.now()
    clock.wait()
    return begin, middle, end


def _measure(model, loss_of, clock, warm_up, repeats):
    """Returns the times of the forward and of the backward pass in each iteration after the warm-up."""
    iterations = []
    for _ in range(warm_up + repeats):
        begin, middle, end = _iterate(model, loss_of, clock)
        iterations.append((clock.between_s(begin, middle), clock.between_s(middle, end)))
    model.zero_grad(set_to_none=True)
    return iterations[warm_up:]


def _measure_layers(model, layers, loss_of, clock, warm_up, repeats):
    """Returns the median times of the layers in the forward pass, and those in the backward pass."""
    begins = []
    forward_begins = []  # without recomputation in the backward pass (checkpointing)
    completions = []
    measured = []
    with _when_layers_begin(layers, lambda place: begins.append((place, clock.now()))):
        with _when_gradients_are_complete(layers, lambda place, _: completions.append((place, clock.now()))):
            for _ in range(warm_up + repeats):
                for points in (begins, forward_begins, completions):
                    points.clear()
                begin, middle, _ = _iterate(model, loss_of, clock, lambda: forward_begins.extend(begins))
                measured.append(
                    (
                        _forward_times(len(layers), begin, forward_begins, middle, clock),
                        _backward_times(layers, middle, completions, clock),
                    )
                )
    model.zero_grad(set_to_none=True)
    medians = []
    for of_iterations in zip(*measured[warm_up:]):
        medians.append([statistics.median(times) for times in zip(*of_iterations)])
    return medians


def _forward_times(count, begin, begins, end, clock):
    times = [0.0] * count
    points = [(begins[0][0], begin), *begins[1:], (None, end)]
    for (place, from_here), (_, to_here) in zip(points, points[1:]):
        times[place] += clock.between_s(from_here, to_here)
    return times


def _backward_times(layers, begin, completions, clock):
    """A layer whose gradients are complete before those of a later layer takes no time."""
    complete_s = dict.fromkeys(range(len(layers)))
    for place, point in completions:
        complete_s[place] = clock.between_s(begin, point)
    without = [layers[place].name for place, time_s in complete_s.items() if time_s is None]
    if without:
        raise ValueError(f"parameters of {_listed(without)} get no gradient in some of the iterations")
    times = [0.0] * len(layers)
    so_far_s = 0.0
    for place in reversed(range(len(layers))):
        times[place] = max(0.0, complete_s[place] - so_far_s)
        so_far_s += times[place]
    return times


def _scaled(times, total):
    sum_of_times = sum(times)
    return [time * total / sum_of_times for time in times]


def _model_table(layers, name, batch_size):
    rows = [
        {
            "name": layer.name,
            "type": type(layer.module).__name__,
            "tensors": [{"name": name, "elements": p.numel()} for name, p in layer.parameters.items()],
            "forward_flops_per_sample": round(layer.work / batch_size),
        }
        for layer in layers
    ]
    tensors = [tensor for row in rows for tensor in row["tensors"]]
    return {
        "name": name,
        "source": f"PyTorch {torch.__version__}",
        "parameters": sum(tensor["elements"] for tensor in tensors),
        "tensors": len(tensors),
        "forward_flops_per_sample": sum(row["forward_flops_per_sample"] for row in rows),
        "flops_rule": FLOPS_RULE,
        "layers": rows,
    }


def _profile(layers, forward_s, backward_s, name, batch_size, source):
    return {
        "model": name,
        "batch_size": batch_size,
        "source": source,
        "layers": [
            {"name": layer.name, "forward": f"{forward * 1e6:.3f}us", "backward": f"{backward * 1e6:.3f}us"}
            for layer, forward, backward in zip(layers, forward_s, backward_s)
        ],
    }


def _write(path, what):
    path.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")


def _tell(layers, paths, batch_size, iterations):
    parameters = [p for layer in layers for p in layer.parameters.values()]
    total = sum(parameter.numel() for parameter in parameters)
    print(f"{len(layers)} layers, {len(parameters)} tensors of {total:,} elements in all")
    for what, times in zip(("forward", "backward"), zip(*iterations)):
        print(
            f"{what} {statistics.median(times) * 1e3:.3f} ms, the median of {len(times)} iterations"
            f" ({min(times) * 1e3:.3f} to {max(times) * 1e3:.3f} ms)"
        )
    dtype, elements = _gradient_dtype(layers)
    if len(elements) > 1:
        share = f"{100 * elements[dtype] / total:.3g} %"
        print(f"{share} of the elements are {dtype}; a scenario takes all gradients to be of one type")
    sparse = [name for layer in layers for name in layer.sparse]
    if sparse:
        print(f"sparse gradients: {_listed(sparse)}; a scenario sends all their elements")
    _tell_uncounted(layers)
    workload = {
        "model": f"{paths[0].resolve()}",
        "batch_size": batch_size,
        "gradient_dtype": GRADIENT_DTYPES[dtype],
        "compute": {"profile": f"{paths[1].resolve()}"},
    }
    print(f'"workload": {json.dumps(workload)}')


def _tell_uncounted(layers):
    """Matrices multiply something, unless they are only added, or used after another layer started."""
    uncounted = [layer.name for layer in layers if not layer.work and _has_matrices(layer)]
    if uncounted:
        print(
            f"0 operations are counted in {_listed(uncounted)}, where there are matrices: right if these are"
            " only added, or used when another layer has begun; else scenarios need the times"
        )


def _has_matrices(layer):
    return any(sum(extent > 1 for extent in p.shape) > 1 for p in layer.parameters.values())
