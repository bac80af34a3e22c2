// What a network is asked: a word, a question about a graph, or raw streams.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logdepth/errors.hpp"
#include "python/bindings/bindings.hpp"

namespace logdepth::python {

using namespace nb::literals;

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

Input input_of(const Transformer& transformer, nb::handle input) {
  if (nb::isinstance<Question>(input)) return nb::cast<Question>(input);
  if (nb::isinstance<RawStreams>(input)) return nb::cast<RawStreams>(input);
  return letters_of(transformer, input);
}

void bind_inputs(nb::module_& module) {
  nb::class_<Question>(module, "Question", "Whether `target` can be reached from `source`.")
      .def(
          "__init__",
          [](Question* question, std::uint32_t vertices,
             std::vector<std::pair<std::uint32_t, std::uint32_t>> edges, std::uint32_t source,
             std::uint32_t target) {
            new (question) Question{{vertices, std::move(edges)}, source, target};
          },
          "vertices"_a, "edges"_a, "source"_a, "target"_a, "Vertices are numbers from 0.");
  nb::class_<RawStreams>(module, "RawStreams", "By name an exact number for each token.")
      .def(
          "__init__",
          [](RawStreams* streams, std::map<std::string, std::vector<std::string>> numbers) {
            new (streams) RawStreams{std::move(numbers)};
          },
          "numbers"_a, "Numbers as their texts.");
}

}  // namespace logdepth::python
