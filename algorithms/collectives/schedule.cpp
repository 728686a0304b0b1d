#include "algorithms/collectives/schedule.hpp"
