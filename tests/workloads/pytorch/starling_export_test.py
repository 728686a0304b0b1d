"""What starling_export.py writes of PyTorch models: shipped tables, known times, what Starling makes of them.

Usage: starling_export_test.py STARLING
"""

import contextlib
import io
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import warnings

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

    def __init__(self, folder, model, loss_of, batch_size=1, warm_up=0, repeats=1, name="model"):
        with contextlib.redirect_stdout(io.StringIO()) as told:
            paths = starling_export.export(model, loss_of, name, batch_size, folder, warm_up, repeats)
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


@contextlib.contextmanager
def a_clock_of_sleep():
    """Time passes where a layer sleeps, and nowhere else: what is measured is the same on a busy machine."""
    now_s = 0.0

    def sleep(seconds):
        nonlocal now_s
        now_s += seconds

    with unittest.mock.patch.multiple(time, sleep=sleep, perf_counter=lambda: now_s):
        yield


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
        times = {"0": (0.02, 0.06), "1": (0.05, 0.01), "2": (0.01, 0.03)}
        model = nn.Sequential(*(Slow(*of_layer) for of_layer in times.values()))
        with a_clock_of_sleep():
            written = Files(self.folder, model, lambda: model(torch.ones(3)).sum(), warm_up=1, repeats=5)
        rows = {row["name"]: row for row in written.profile["layers"]}
        for name, (forward_s, backward_s) in times.items():
            for key, known_s in (("forward", forward_s), ("backward", backward_s)):
                found_s = float(rows[name][key].removesuffix("us")) / 1e6
                self.assertAlmostEqual(found_s, known_s, delta=1e-9)  # written to the nanosecond

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
        with a_clock_of_sleep():
            written = Files(self.folder, model, lambda: checkpoint(model, inputs).sum(), repeats=3)
        (layer,) = written.profile["layers"]
        self.assertEqual((layer["forward"], layer["backward"]), ("50000.000us", "100000.000us"))

    def test_gradients_have_the_type_of_the_weights(self):
        model = nn.Linear(3, 3).bfloat16()
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3).bfloat16()).sum())
        self.assertIn('"gradient_dtype": "bf16"', written.told)
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1, bias=False).bfloat16())
        written = Files(self.folder, model, lambda: model[1](model[0](torch.ones(1, 3)).bfloat16()).sum())
        self.assertIn("80 % of the elements are torch.float32", written.told)

    def test_encoders_that_are_evaluated_have_the_layers_and_the_work_of_training(self):
        """Without gradients, PyTorch has one operation for all of an encoder's layer."""
        model = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        sentence = torch.zeros(1, 5, 8)
        training = Files(self.folder, model, lambda: model(sentence).sum())
        model.eval()
        with torch.no_grad():
            evaluated = Files(self.folder, model, lambda: model(sentence).sum())
        self.assertEqual(evaluated.model, training.model)
        self.assertNotIn("0 operations", evaluated.told)

    def test_frozen_encoders_work_as_much_when_they_are_evaluated(self):
        """There PyTorch takes that one operation in training, too."""
        encoder, last = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.Linear(8, 1)
        attention = nn.MultiheadAttention(8, 2, batch_first=True)
        model = nn.ModuleList([encoder, attention, last])
        encoder.requires_grad_(False)
        attention.requires_grad_(False)
        sentence = torch.zeros(2, 5, 8)

        def loss_of(mask=None):
            encoded = encoder(sentence, src_key_padding_mask=mask)
            return last(attention(encoded, encoded, encoded)[0]).sum()

        training = Files(self.folder, model, loss_of)
        model.eval()
        self.assertEqual(Files(self.folder, model, loss_of).model, training.model)

    def test_frozen_encoders_work_for_the_words_that_there_are(self):
        last = nn.Linear(8, 1)
        encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)
        model = nn.ModuleList([encoder, last]).eval()
        encoder.requires_grad_(False)
        mask = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        sentences = torch.zeros(2, 5, 8)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # sentences of several lengths are a prototype
            written = Files(
                self.folder, model, lambda: last(encoder(sentences, src_key_padding_mask=mask)).sum()
            )
        words, pairs = 5 + 3, 5 * 5 + 3 * 3
        products = 2 * words * (4 * 8 * 8 + 2 * 8 * 16) + 4 * pairs * 8
        work = products + 2 * 4 * words * 8 + 2 * 10 * 8  # normalization, and what is last, of all places
        self.assertEqual(written.model["forward_flops_per_sample"], work)

    def test_layers_with_matrices_and_no_work_are_told(self):
        model = nn.Bilinear(4, 4, 3)
        inputs = torch.ones(1, 4)
        written = Files(self.folder, model, lambda: model(inputs, inputs).sum())
        self.assertIn("0 operations are counted in root", written.told)
        model = nn.Sequential(Slow(0, 0), nn.Linear(3, 3))
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3)).sum())
        self.assertNotIn("0 operations", written.told)

    def test_bags_of_embeddings_count_each_element(self):
        model = nn.EmbeddingBag(10, 4)
        words = torch.zeros(2, 3, dtype=torch.long)
        written = Files(self.folder, model, lambda: model(words).sum(), batch_size=2)
        self.assertEqual(written.model["forward_flops_per_sample"], 4)
        model = nn.Sequential(model.requires_grad_(False), nn.Linear(4, 1))
        written = Files(self.folder, model, lambda: model(words).sum(), batch_size=2)
        self.assertEqual(written.model["forward_flops_per_sample"], 4 + 2 * 4)

    def test_sparse_gradients_are_told(self):
        model = nn.Embedding(10, 4, sparse=True)
        written = Files(self.folder, model, lambda: model(torch.zeros(2, dtype=torch.long)).sum())
        self.assertIn("sparse gradients: weight", written.told)

    def test_parameters_without_elements_are_left_out(self):
        """A model file has none."""
        model = nn.Linear(3, 3)
        model.empty = nn.Parameter(torch.ones(0))
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3)).sum() + model.empty.sum())
        self.assertEqual([t["name"] for t in written.model["layers"][0]["tensors"]], ["weight", "bias"])
        model = nn.Module()
        model.empty = nn.Parameter(torch.ones(0))
        model.forward = lambda: model.empty.sum()
        with self.assertRaisesRegex(ValueError, "no elements"):
            Files(self.folder, model, lambda: model())

    def test_compiled_modules_without_parameters_are_parts_of_layers(self):
        model = nn.Sequential(nn.Linear(3, 3), torch.jit.script(nn.ReLU()))
        written = Files(self.folder, model, lambda: model(torch.ones(1, 3)).sum())
        self.assertEqual([layer["name"] for layer in written.model["layers"]], ["0"])

    def refusal(self, model, loss_of, **arguments):
        with self.assertRaises(ValueError) as caught:
            Files(self.folder, model, loss_of, **arguments)
        return str(caught.exception)

    def test_what_cannot_be_exported_is_refused_by_name(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        inputs = torch.ones(1, 3)
        self.assertIn("1.weight, 1.bias", self.refusal(model, lambda: model[0](inputs).sum()))
        detached = self.refusal(model, lambda: model[0](inputs).sum() + model[1](inputs).detach().sum())
        self.assertIn("does not depend on these parameters: 1.weight, 1.bias", detached)
        model.requires_grad_(False)
        self.assertIn("no parameters that are trained", self.refusal(model, lambda: model(inputs).sum()))

    def test_single_parameters_without_gradients_are_named(self):
        model = nn.Linear(3, 3)
        model.never = nn.Parameter(torch.ones(2))
        refusal = self.refusal(model, lambda: model(torch.ones(1, 3)).sum())
        self.assertTrue(refusal.endswith("parameters: never"), refusal)

    def test_gradients_that_do_not_always_come_are_refused(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
        passes = itertools.count()

        def loss_of():
            hidden = model[0](torch.ones(1, 3))
            return (hidden if next(passes) > 3 else model[1](hidden)).sum()

        self.assertIn("parameters of 1 get no gradient in some", self.refusal(model, loss_of, repeats=4))

    def test_gradients_of_types_that_no_scenario_has_are_refused(self):
        model = nn.Linear(3, 3).double()
        passes = itertools.count(1)
        refusal = self.refusal(model, lambda: next(passes) * model(torch.ones(1, 3).double()).sum())
        self.assertIn("most parameters are torch.float64", refusal)
        self.assertEqual(next(passes), 2)  # nothing was measured
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1, bias=False).double())
        written = Files(self.folder, model, lambda: model[1](model[0](torch.ones(1, 3)).double()).sum())
        self.assertIn("80 % of the elements are torch.float32", written.told)
        self.assertIn('"gradient_dtype": "fp32"', written.told)

    def test_arguments_are_checked_before_the_model_runs(self):
        def never():
            self.fail("the model has run")

        model = nn.Linear(3, 3)
        for bad in (0, -1, 8.0, "8", True, None, (1 << 24) + 1):
            self.assertIn("batch_size must be", self.refusal(model, never, batch_size=bad))
        for bad in (0, 1.5, True):
            self.assertIn("repeats must be", self.refusal(model, never, repeats=bad))
        for bad in (-1, 1.5, True):
            self.assertIn("warm_up must be", self.refusal(model, never, warm_up=bad))
        for bad in ("", ".", "a/b", "/a", "a/", "a\0b", "a\nb", "\udc80", None, 5, self.folder / "a"):
            self.assertIn("name must be", self.refusal(model, never, name=bad))
        self.assertIn("a Tensor", self.refusal(model, model(torch.ones(1, 3)).sum()))
        self.assertIn("is a function", self.refusal(never, never))
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_files_that_cannot_be_written_are_told_before_the_model_runs(self):
        def never():
            self.fail("the model has run")

        model = nn.Linear(3, 3)
        (self.folder / "file").touch()
        (self.folder / "taken_profile.json").mkdir()
        with self.assertRaises(OSError):
            Files(self.folder / "file", model, never)
        for name in ("taken", "long" * 100):
            with self.assertRaises(OSError):
                Files(self.folder, model, never, name=name)
        found = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(found, ["file", "taken_profile.json"])

    def test_files_that_are_there_stay_if_the_model_cannot_be_exported(self):
        there = self.folder / "model.json"
        there.write_text("as it was")
        self.refusal(nn.ReLU(), lambda: None)
        self.assertEqual(there.read_text(), "as it was")

    def test_batch_sizes_may_be_whole_numbers_of_other_libraries(self):
        class Whole:
            def __index__(self):
                return 4

        model = nn.Linear(3, 3)
        written = Files(self.folder, model, lambda: model(torch.ones(4, 3)).sum(), batch_size=Whole())
        self.assertIs(type(written.profile["batch_size"]), int)
        self.assertEqual(written.profile["batch_size"], 4)
        self.assertIn('"batch_size": 4', written.told)
        self.assertEqual(written.model["forward_flops_per_sample"], 18)

    def test_what_is_no_loss_is_refused_before_times_are_taken(self):
        model = nn.Linear(3, 3)
        inputs = torch.ones(2, 3)

        def with_backward():
            loss = model(inputs).sum()
            loss.backward()
            return loss

        for wrong, told in (
            (lambda: model(inputs), "one of 6"),
            (lambda: {"loss": model(inputs).sum()}, "a dict"),
            (lambda: model(inputs).sum().item(), "a float"),
            (lambda: model(inputs).sum().detach(), "not depend on any trained"),
            (with_backward, "leave the backward pass"),
        ):
            self.assertIn(told, self.refusal(model, wrong))

    def test_gradients_that_are_there_are_not_those_of_the_loss(self):
        model = nn.Linear(3, 3)
        model(torch.ones(1, 3)).sum().backward()
        Files(self.folder, model, lambda: model(torch.ones(1, 3)).sum())

    def test_what_communicates_or_is_compiled_is_refused(self):
        model = nn.Sequential(nn.Linear(3, 3))
        inputs = torch.ones(1, 3)
        self.assertIn("a DataParallel", self.refusal(nn.DataParallel(model), lambda: model(inputs).sum()))
        kind = nn.parallel.DistributedDataParallel
        parallel = kind.__new__(kind)  # without the processes that it would look for
        nn.Module.__init__(parallel)
        parallel.module = model
        self.assertIn("a DistributedDataParallel", self.refusal(parallel, lambda: model(inputs).sum()))
        for compiled in (torch.jit.trace(model, inputs), torch.jit.script(model)):
            outer = nn.Sequential(compiled)
            self.assertIn("0 is a", self.refusal(outer, lambda: outer(inputs).sum()))

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
        self.assertGreater(sum(times_us), 80e3 - 0.01)  # sleeping takes no less than it is asked to
        self.assertAlmostEqual(found["iteration_time_s"]["mean"], sum(times_us) / 1e6, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
