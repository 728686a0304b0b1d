#pragma once

#include "scenarios/importing/imported.hpp"

namespace starling {

/// A workload of ASTRA-sim 1.0 or SimAI (as AICB writes them), a text file:
///
///     DATA                     or HYBRID_TRANSFORMER … : how layers are parallel
///     layers
///     name dependency   and three times: nanoseconds, what is communicated, bytes   and the update's time
///
/// of each layer: of its forward pass, of its input gradients and of its weight gradients. Becomes a workload
/// with a model and a profile. ALLREDUCE and REDUCESCATTER of weight gradients are tensors in fp32 that
/// workers average. Backward, a layer computes its weight gradients before its input gradients, which the
/// first layer leaves out, as there: what a layer takes ends when its tensor is ready, so it begins with the
/// input gradients of the layer above. Whatever else is communicated, as in parallel layers, is left out, and
/// the notes say how much.
/// `batch_size`: of the profile; files do not tell. @throws ScenarioError with the line of what is wrong.
Imported import_astra_sim_workload(const ForeignFile& file, int batch_size);

}  // namespace starling
