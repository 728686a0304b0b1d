#include "sim/network_model.hpp"
