#pragma once
namespace starling { class Replica; }
