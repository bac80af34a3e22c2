#pragma once

#include <memory>
#include <vector>

#include "learned/records/settings_value.hpp"

namespace logdepth::inline learned_records {

struct RunConfig;

/// The settings of a network that a paper brings itself, where a universal transformer is none of
/// its models. They stand in the folder of the paper; everything else sees this class only.
class NetworkSettings {
 public:
  virtual ~NetworkSettings() = default;
  virtual std::unique_ptr<NetworkSettings> clone() const = 0;

  /// The word for networks of this kind in configurations.
  virtual const char* kind() const = 0;
  virtual void visit(SettingVisitor& visit) = 0;
  /// Errors: InputError where a setting is out of range or contradicts the rest of the run.
  virtual void validate(const RunConfig& config) const = 0;

 protected:
  NetworkSettings() = default;
  NetworkSettings(const NetworkSettings&) = default;
  NetworkSettings(NetworkSettings&&) = default;
  NetworkSettings& operator=(const NetworkSettings&) = default;
  NetworkSettings& operator=(NetworkSettings&&) = default;
};

/// Settings of a network of any kind, as a value.
using NetworkConfig = SettingsValue<NetworkSettings>;

/// The defaults of every kind of network, gathered from the list of papers (learned/papers.list).
template <>
const std::vector<NetworkConfig>& known_kinds<NetworkSettings>();

}  // namespace logdepth::inline learned_records
