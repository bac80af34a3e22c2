#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/export.hpp"
#include "python/bindings/bindings.hpp"

// Errors of the library as exceptions of the package, with the same sentences.

namespace logdepth::python {

using namespace nb::literals;

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

// What a network is asked: a word, a question about a graph, or raw streams.

Letters letters_of(const Transformer& transformer, nb::handle word) {
  std::string letter;  // or a whole word
  if (nb::try_cast(word, letter)) return transformer.word(letter);
  Letters letters;
  if (nb::try_cast(word, letters)) return letters;
  if (nb::isinstance<nb::list>(word) || nb::isinstance<nb::tuple>(word)) {
    for (const nb::handle one : word)
      if (!nb::try_cast(one, letter))
        throw InputError("expected letters that are texts, found " + shown(one));
  }
  throw InputError("expected a word as a str or a list of letters, found " +
                   (nb::isinstance<nb::str>(word) ? shown(word) : "a " + type_of(word)));
}

std::vector<Letters> all_letters(const Transformer& transformer, nb::handle words) {
  std::vector<Letters> all;
  for (const nb::handle word : words) all.push_back(letters_of(transformer, word));
  return all;
}

Input input_of(const Transformer& transformer, nb::handle input) {
  if (nb::isinstance<Question>(input)) return nb::cast<Question>(input);
  if (nb::isinstance<RawStreams>(input)) return nb::cast<RawStreams>(input);
  return letters_of(transformer, input);
}

void bind_inputs(nb::module_& module) {
  nb::class_<Question>(module, "Question", "Whether `target` can be reached from `source`.")
      .def(nb::init<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>,
                    std::uint32_t, std::uint32_t>(),
           "vertices"_a, "edges"_a, "source"_a, "target"_a, "Vertices are numbers from 0.");
  nb::class_<RawStreams>(module, "RawStreams", "By name an exact number for each token.")
      .def(nb::init<std::map<std::string, std::vector<std::string>>>(), "numbers"_a,
           "Numbers as their texts.");
}

}  // namespace logdepth::python

// The extension module: the public headers of logdepth/ as Python sees them.
NB_MODULE(_bindings, module) {
  using namespace logdepth::python;
  module.doc() = "The C++ library of logdepth. Its names are used through the package `logdepth`.";
  bind_errors(module);
  bind_inputs(module);
  bind_answers(module);
  bind_rounded(module);
  bind_traces(module);
  bind_transformer(module);
  bind_constructions(module);
}
