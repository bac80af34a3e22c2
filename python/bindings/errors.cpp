// Errors of the library as exceptions of the package, with the same sentences.
#include "logdepth/errors.hpp"

#include "logdepth/export.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {
namespace {

void raise(const char* name, const char* sentence) {
  PyErr_SetString(nb::module_::import_("logdepth.errors").attr(name).ptr(), sentence);
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      raise("BadInput", error.what());
    } catch (const ProgramRefused& error) {
      raise("BadInput", error.what());
    } catch (const SizeLimit& error) {
      raise("LimitReached", error.what());
    } catch (const ExportRefused& error) {
      raise("ExportRefused", error.what());
    } catch (const ExportWrong& error) {
      raise("ExportWrong", error.what());
    }
  });
}

std::string shown(nb::handle thing) {
  return nb::cast<std::string>(nb::repr(thing));
}

std::string type_of(nb::handle thing) {
  return nb::cast<std::string>(nb::str(thing.type().attr("__name__")));
}

}  // namespace logdepth::python
