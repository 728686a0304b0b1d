#include "algorithms/training/training_algorithm.hpp"
