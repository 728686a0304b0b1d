#pragma once

#include "scenarios/importing/imported.hpp"

namespace starling {

/// Imports a workload of ASTRA-sim 1.0 or SimAI (as written by AICB), a text file:
///
///     DATA                     or HYBRID_TRANSFORMER … : the kind of parallelism
///     number of layers
///     name dependency  (nanoseconds collective bytes) three times  nanoseconds of the update
///
/// with a line like the last one for each layer; the three groups are those of its forward pass, its input
/// gradients and its weight gradients. Returns a workload with a model and a profile. Weight gradients with
/// ALLREDUCE or REDUCESCATTER become tensors in fp32 that workers average. As in those simulators, a layer
/// computes its weight gradients before its input gradients in the backward pass, and the first layer has no
/// input gradients. In Starling the backward time of a layer ends when its gradients are ready; it therefore
/// consists of the input gradients of the next layer and the weight gradients of the layer itself. All other
/// communication, such as that of model-parallel layers, is left out, and notes say how much.
/// `batch_size` is that of the profile, which these files do not state. @throws ScenarioError with the line
/// of the error.
Imported import_astra_sim_workload(const ForeignFile& file, int batch_size);

}  // namespace starling
