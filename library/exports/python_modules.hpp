#pragma once

namespace logdepth::exports {

/// The text of python/logdepth/answers.py, torch.py and lens.py, which exports contain.
extern const char* const kAnswersModule;
extern const char* const kTorchModule;
extern const char* const kLensModule;
/// That of recheck/float_recheck.py.
extern const char* const kFloatRecheck;
/// That of playground/serve.py, which `logdepth play` becomes.
extern const char* const kServe;

}  // namespace logdepth::exports
