"""What starling_export.py writes of PyTorch models: shipped tables, known times, what Starling makes of them.

Usage: starling_export_test.py STARLING
"""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import torch
    from torch import nn
except ImportError:
    print("skipped: python3-torch is not installed")
    sys.exit(77)

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "workloads" / "pytorch"))
import starling_export  # noqa: E402

program = sys.argv.pop(1)


class Files:
    """What is written of a model."""

    def __init__(self, folder, model, loss_of, batch_size=1, warm_up=0, repeats=1):
        with contextlib.redirect_stdout(io.StringIO()) as told:
            paths = starling_export.export(model, loss_of, "model", batch_size, folder, warm_up, repeats)
        self.told = told.getvalue()
        self.model, self.profile = (json.loads(path.read_text()) for path in paths)
        self.paths = paths


def vgg16():
    layers = []
    channels = 3
    for width in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0):
        layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()] if width else [nn.MaxPool2d(2)]
        channels = width or channels
    model = nn.Module()
    model.features = nn.Sequential(*layers)
    model.classifier = nn.Sequential(
        *(nn.Linear(512 * 49, 4096), nn.ReLU(), nn.Dropout()),
        *(nn.Linear(4096, 4096), nn.ReLU(), nn.Dropout()),
        nn.Linear(4096, 1000),
    )
    return model


class Sleep(torch.autograd.Function):
    @staticmethod
    def forward(context, inputs, forward_s, backward_s):
        context.backward_s = backward_s
        time.sleep(forward_s)
        return inputs.clone()

    @staticmethod
    def backward(context, gradient):
        time.sleep(context.backward_s)
        return gradient, None, None


class Slow(nn.Module):
    """A layer that takes known times. Its gradients are there when its backward pass has taken its time."""

    def __init__(self, forward_s, backward_s):
        super().__init__()
        self.times = forward_s, backward_s
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, inputs):
        return Sleep.apply(inputs * self.weight, *self.times)


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_layers_and_work_of_vgg16_are_those_that_are_shipped(self):
        model = vgg16()
        images = torch.zeros(1, 3, 224, 224)
        written = Files(
            self.folder, model, lambda: model.classifier(torch.flatten(model.features(images), 1)).sum()
        )
        shipped = json.loads((root / "workloads/models/vgg16.json").read_text())
        self.assertEqual(written.model["layers"], shipped["layers"])
        for total in ("parameters", "tensors", "forward_flops_per_sample"):
            self.assertEqual(written.model[total], shipped[total])

    def test_work_of_a_transformer_is_what_is_shipped(self):
        """Attention, projections inside it, normalization; 31 tokens of a sentence are as many samples."""
        model = nn.Transformer(512, 8, 6, 6, 2048, batch_first=True)
        sentence = torch.zeros(1, 31, 512)
        written = Files(self.folder, model, lambda: model(sentence, sentence).sum(), batch_size=31)
        shipped = json.loads((root / "workloads/models/transformer_base_wmt14.json").read_text())
        layers = [layer for layer in shipped["layers"] if layer["name"].startswith("_transformer.")]
        work = sum(layer["forward_flops_per_sample"] for layer in layers)
        self.assertEqual(written.model["forward_flops_per_sample"], work)

        def elements(layers):
            return sorted(tensor["elements"] for layer in layers for tensor in layer["tensors"])

        self.assertEqual(elements(written.model["layers"]), elements(layers))

    def test_recurrence_and_embedding_count_each_position(self):
        words, width, state = 7, 10, 20
        embedding, lstm = nn.Embedding(50, width), nn.LSTM(width, state, num_layers=2, batch_first=True)
        model = nn.ModuleList([embedding, lstm])
        sentences = torch.zeros(4, words, dtype=torch.long)
        written = Files(self.folder, model, lambda: lstm(embedding(sentences))[0].sum(), batch_size=4)
        work = [layer["forward_flops_per_sample"] for layer in written.model["layers"]]
        products = 4 * state * (width + state) + 4 * state * (state + state)
        self.assertEqual(work, [words * width, words * 2 * products])

    def test_times_are_those_of_the_layers(self):
        """Sleeping takes no less than it is asked to; by how much more, a busy machine decides."""
        times = {"0": (0.02, 0.06), "1": (0.05, 0.01), "2": (0.01, 0.03)}
        model = nn.Sequential(*(Slow(*of_layer) for of_layer in times.values()))
        written = Files(self.folder, model, lambda: model(torch.ones(3)).sum(), warm_up=1, repeats=5)
        rows = {row["name"]: row for row in written.profile["layers"]}
        for name, (forward_s, backward_s) in times.items():
            for key, known_s in (("forward", forward_s), ("backward", backward_s)):
                found_s = float(rows[name][key].removesuffix("us")) / 1e6
                # Layers are scaled to totals of other iterations, which may be disturbed less.
                self.assertGreater(found_s, 0.9 * known_s)
                self.assertLess(found_s, known_s + 0.01)

    def test_order_is_that_of_the_forward_pass(self):
        class Swapped(nn.Module):
            def __init__(self):
                super().__init__()
                self.last, self.first = nn.Linear(2, 1), nn.Linear(3, 2)

            def forward(self, inputs):
                return self.last(self.first(inputs))

        model = Swapped()
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3)).sum())
        self.assertEqual([layer["name"] for layer in written.model["layers"]], ["first", "last"])
        self.assertEqual([layer["name"] for layer in written.profile["layers"]], ["first", "last"])

    def test_frozen_and_tied_weights_are_not_sent_again(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 3))
        model[0].requires_grad_(False)
        model[2].weight = model[1].weight
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3)).sum())
        tensors = [tensor["name"] for layer in written.model["layers"] for tensor in layer["tensors"]]
        self.assertEqual(tensors, ["1.weight", "1.bias", "2.bias"])

    def test_forward_passes_that_are_computed_again_belong_to_the_backward_pass(self):
        from torch.utils.checkpoint import checkpoint

        model = Slow(0.05, 0.05)
        inputs = torch.ones(3, requires_grad=True)
        written = Files(self.folder, model, lambda: checkpoint(model, inputs).sum(), repeats=3)
        (layer,) = written.profile["layers"]
        self.assertLess(float(layer["forward"].removesuffix("us")), 90e3)
        self.assertGreater(float(layer["backward"].removesuffix("us")), 90e3)

    def test_gradients_have_the_type_of_the_weights(self):
        model = nn.Linear(3, 3).bfloat16()
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3).bfloat16()).sum())
        self.assertIn('"gradient_dtype": "bf16"', written.told)
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1, bias=False).bfloat16())
        written = Files(self.folder, model, lambda: model[1](model[0](torch.ones(1, 3)).bfloat16()).sum())
        self.assertIn("80 % of the elements are torch.float32", written.told)

    def test_what_cannot_be_exported_is_refused_by_name(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        inputs = torch.ones(1, 3)

        def refusal(loss_of, batch_size=1):
            with self.assertRaises(ValueError) as caught:
                Files(self.folder, model, loss_of, batch_size)
            return str(caught.exception)

        self.assertIn("batch_size", refusal(lambda: model(inputs).sum(), batch_size=0))
        self.assertIn("1.weight", refusal(lambda: model[0](inputs).sum()))
        detached = refusal(lambda: model[0](inputs).sum() + model[1](inputs).detach().sum())
        self.assertIn("parameters of 1 get no gradient", detached)
        model.requires_grad_(False)
        self.assertIn("no parameters that are trained", refusal(lambda: model(inputs).sum()))

    def test_starling_takes_what_is_written(self):
        """One worker has nobody to wait for: an iteration lasts as long as the profile says."""
        model = nn.Sequential(Slow(0.02, 0.04), nn.Linear(3, 3), Slow(0.01, 0.01))
        written = Files(self.folder, model, lambda: model(torch.ones(2, 3)).sum(), batch_size=2, repeats=3)
        scenario = {
            "iterations": 2,
            "cluster": {
                "workers": 1,
                "transport": "ideal",
                "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}},
            },
            "workload": json.loads("{" + written.told.splitlines()[-1] + "}")["workload"],
            "algorithms": [{"kind": "ddp"}],
        }
        (self.folder / "scenario.json").write_text(json.dumps(scenario))
        out = self.folder / "out"
        run = [program, "run", str(self.folder / "scenario.json"), "--out", str(out), "--quiet"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        (found,) = json.loads((out / "result.json").read_text())["runs"]
        rows = written.profile["layers"]
        times_us = [float(row[key].removesuffix("us")) for row in rows for key in ("forward", "backward")]
        self.assertAlmostEqual(found["iteration_time_s"]["mean"], sum(times_us) / 1e6, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
