#pragma once

// Includes every training algorithm of Starling, with its options.
#include "algorithms/training/gossip/adpsgd.hpp"
#include "algorithms/training/gossip/decentralized_adam.hpp"
#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/gossip/local_sgd.hpp"
#include "algorithms/training/gossip/sgp.hpp"
#include "algorithms/training/gossip/slowmo.hpp"
#include "algorithms/training/partial/eager_sgd.hpp"
#include "algorithms/training/partial/wagma.hpp"
#include "algorithms/training/synchronous/bytescheduler.hpp"
#include "algorithms/training/synchronous/dear.hpp"
#include "algorithms/training/synchronous/horovod.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"
