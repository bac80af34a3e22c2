#pragma once

namespace logdepth::exports {

/// The text of python/logdepth/answers.py, torch.py and lens.py, which exports contain.
extern const char* const kAnswersModule;
extern const char* const kTorchModule;
extern const char* const kLensModule;

}  // namespace logdepth::exports
