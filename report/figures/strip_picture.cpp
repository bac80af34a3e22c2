#include "report/figures/strip_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {

std::string key_attribute(std::string_view key) {
  return svg_attribute("data-key", key);
}

std::string strips_svg(const StripPicture& picture) {
  std::string elements;
  double bottom = 0;
  for (const Strip& strip : picture.strips) {
    elements += strip.elements;
    bottom = strip.bottom;
  }
  return svg_document(picture.width, bottom, picture.title, elements, "");
}

namespace {

constexpr const char* kLooks =
    "svg{max-width:100%;height:auto}.strip{margin:0}"
    ".turn{position:sticky;top:0;padding:.5em 0;background:#fff;display:flex;gap:1em;"
    "align-items:center;flex-wrap:wrap;z-index:1}.turn[hidden]{display:none}"
    ".turn input[type=range]{width:18em}.turn output{font-weight:600;min-width:9em}"
    ".note{position:sticky;bottom:0;min-height:3em;margin:0;padding:.6em 0;background:#fff;"
    "border-top:1px solid #ccc}"
    "[data-key]{transition:opacity .1s}.marking [data-key]{opacity:.35}.marking .marked{opacity:1}"
    ".marking .marked path,.marking path.marked{stroke-opacity:1}"
    ".marking .marked polygon{fill-opacity:1}"
    "g:focus,g:focus-visible{outline:2px solid #D55E00;outline-offset:1px}";

/// In CDATA, so that the page is XML as well.
constexpr const char* kScript = R"script(<script>
//<![CDATA[
(function () {
  "use strict";
  var steps = Array.from(document.querySelectorAll("section.step"));
  var slider = document.getElementById("turn"), all = document.getElementById("all");
  var turned = document.getElementById("turned"), note = document.getElementById("note");
  var nothing = note.textContent;

  function show() {
    steps.forEach(function (step) {
      step.hidden = !all.checked && step.dataset.step !== slider.value;
      if (step.dataset.step === slider.value) turned.textContent = step.getAttribute("aria-label");
    });
    slider.disabled = all.checked;
    if (all.checked) turned.textContent = all.parentNode.textContent.trim();
    note.textContent = nothing;
  }
  function address() {
    history.replaceState(null, "", all.checked ? "#all" : "#step=" + slider.value);
  }
  function turn(by) {
    slider.value = Number(slider.value) + by;
    all.checked = false;
    show();
    address();
  }

  // The texts of elements, and how keys lead from one to the next.
  function prepare(section) {
    var picture = section.querySelector("svg"), notes = {}, tabbed = {};
    function elements(key) { return Array.from(picture.querySelectorAll('[data-key="' + key + '"]')); }
    function unmark() {
      picture.classList.remove("marking");
      picture.querySelectorAll(".marked").forEach(function (e) { e.classList.remove("marked"); });
    }
    function mark(item) {
      unmark();
      note.textContent = item.textContent;
      picture.classList.add("marking");
      [item.dataset.key].concat(item.dataset.marks.split(" ")).forEach(function (key) {
        if (key) elements(key).forEach(function (e) { e.classList.add("marked"); });
      });
    }
    section.querySelectorAll(".notes > li").forEach(function (item) {
      var element = elements(item.dataset.key)[0], group = item.dataset.group;
      if (!element) return;
      notes[item.dataset.key] = function () { mark(item); };
      notes[group + " " + item.dataset.row + " " + item.dataset.column] = element;
      element.setAttribute("tabindex", tabbed[group] ? "-1" : "0");
      tabbed[group] = true;
      element.setAttribute("role", "img");
      element.setAttribute("aria-label", item.textContent);
      element.addEventListener("mouseenter", function () { mark(item); });
      element.addEventListener("focus", function () { mark(item); });
      element.addEventListener("mouseleave", unmark);
      element.addEventListener("blur", unmark);
      element.addEventListener("keydown", function (event) {
        var moves = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
        var move = moves[event.key];
        if (!move) return;
        var next = notes[group + " " + (Number(item.dataset.row) + move[0]) + " " +
                         (Number(item.dataset.column) + move[1])];
        if (next) next.focus();
        event.preventDefault();
        event.stopPropagation();
      });
    });
    return notes;
  }
  var prepared = steps.map(prepare);

  function follow() {
    var wanted = /^#step=(\d+)(?:,([\w-]+))?$/.exec(location.hash);
    if (location.hash === "#all") all.checked = true;
    if (wanted) { all.checked = false; slider.value = wanted[1]; }
    show();
    if (!wanted || !wanted[2]) return;
    steps.forEach(function (step, i) {
      if (!step.hidden && prepared[i][wanted[2]]) prepared[i][wanted[2]]();
    });
  }
  slider.addEventListener("input", function () { show(); address(); });
  all.addEventListener("change", function () { show(); address(); });
  document.addEventListener("keydown", function (event) {
    if (event.target !== document.body) return;
    if (event.key === "ArrowRight") turn(1);
    if (event.key === "ArrowLeft") turn(-1);
  });
  window.addEventListener("hashchange", follow);
  slider.form.hidden = false;
  note.hidden = false;
  follow();
}());
//]]>
</script>
)script";

// --- dark pages ----------------------------------------------------------------------------------

/// The same hue where light is dark: "#RRGGBB" to "#RRGGBB".
std::string dark_colour(std::string_view colour) {
  std::array<double, 3> parts{};
  for (std::size_t i = 0; i < 3; ++i) {
    int value = 0;
    std::from_chars(colour.data() + 1 + 2 * i, colour.data() + 3 + 2 * i, value, 16);
    parts[i] = value / 255.0;
  }
  const auto [least, most] = std::minmax_element(parts.begin(), parts.end());
  const double light = (*least + *most) / 2, turned = 0.93 - 0.81 * light;
  const double room = std::min(light, 1 - light), new_room = std::min(turned, 1 - turned);
  const double stretch = room == 0 ? 0 : new_room / room;
  std::string result = "#";
  for (const double part : parts) {
    const double value = std::clamp(turned + (part - light) * stretch, 0.0, 1.0);
    result += fmt::format("{:02X}", static_cast<unsigned>(value * 255 + 0.5));
  }
  return result;
}

/// Rules that turn the colours that the picture uses.
std::string dark_rules(const StripPicture& picture) {
  std::set<std::string> rules;
  for (const Strip& strip : picture.strips)
    for (const std::string property : {"fill", "stroke"}) {
      const std::string start = " " + property + "=\"#";
      for (std::size_t at = strip.elements.find(start); at != std::string::npos;
           at = strip.elements.find(start, at + 1)) {
        const std::string colour = strip.elements.substr(at + start.size() - 1, 7);
        rules.insert("[" + property + "=\"" + colour + "\"]{" + property + ":" +
                     dark_colour(colour) + "}");
      }
    }
  std::string all;
  for (const std::string& rule : rules) all += rule;
  return all;
}

// --- strips --------------------------------------------------------------------------------------

std::string strip_svg(const StripPicture& picture, const Strip& strip) {
  const std::string width = svg_number(picture.width);
  const std::string height = svg_number(strip.bottom - strip.top);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" aria-label=\"" +
         xml_text(strip.name) + "\" width=\"" + width + "\" height=\"" + height +
         "\" viewBox=\"0 " + svg_number(strip.top) + " " + width + " " + height +
         "\" font-family=\"DejaVu Sans,Helvetica,Arial,sans-serif\">\n" + strip.elements +
         "</svg>\n";
}

std::string notes_list(const Strip& strip) {
  if (strip.notes.empty()) return "";
  std::string items;
  for (const StripNote& note : strip.notes) {
    items += "<li data-key=\"" + note.key + "\" data-group=\"" + note.group + "\" data-row=\"" +
             std::to_string(note.row) + "\" data-column=\"" + std::to_string(note.column) +
             "\" data-marks=\"" + joined(note.marks, " ") + "\">" + xml_text(note.text) + "</li>\n";
  }
  return "<ul class=\"notes\" hidden=\"hidden\">\n" + items + "</ul>\n";
}

std::string tables(const Strip& strip) {
  std::string text;
  for (const StripTable& table : strip.tables) {
    text += "<details><summary>" + xml_text(table.caption) + "</summary>\n<table>\n" +
            html_row(table.headings, "th");
    for (const auto& row : table.rows) text += html_row(row);
    text += "</table>\n</details>\n";
  }
  return text;
}

std::string slider(const StripPicture& picture, bool together) {
  std::size_t first = SIZE_MAX, last = 0;
  for (const Strip& strip : picture.strips)
    if (strip.step) {
      first = std::min(first, *strip.step);
      last = std::max(last, *strip.step);
    }
  return "<form class=\"turn\" hidden=\"hidden\"><label>" + picture.turned +
         " <input type=\"range\" id=\"turn\" "
         "min=\"" +
         std::to_string(first) + "\" max=\"" + std::to_string(last) + "\" value=\"" +
         std::to_string(first) +
         "\"/></label><output id=\"turned\"></output><label><input type=\"checkbox\" id=\"all\"" +
         (together ? " checked=\"checked\"" : "") + "/> all " + picture.turned +
         "s</label></form>\n";
}

}  // namespace

std::string strips_section(const StripPicture& picture, bool together) {
  std::string text;
  bool began = false;
  for (const Strip& strip : picture.strips) {
    if (strip.step && !began) text += slider(picture, together);
    began = began || strip.step;
    text += strip.step
                ? "<section class=\"strip step\" data-step=\"" + std::to_string(*strip.step) +
                      "\" aria-label=\"" + xml_text(strip.name) + "\">\n"
                : "<section class=\"strip\">\n";
    text += strip_svg(picture, strip) + tables(strip) + notes_list(strip) + "</section>\n";
  }
  if (!began) return text;
  return text +
         "<p class=\"note\" id=\"note\" hidden=\"hidden\">Point at an element of the picture, or "
         "come to it with Tab and arrow keys, to read what it holds.</p>\n" +
         kScript;
}

std::string strips_style(const StripPicture& picture) {
  return std::string(":root{color-scheme:light dark}") + kLooks +
         "@media(prefers-color-scheme:dark){body,.turn,.note{background:#1f1f1f;color:#ededed}"
         "th,td{border-color:#444}svg text:not([fill]){fill:#ededed}" +
         dark_rules(picture) + "}";
}

}}  // namespace logdepth::report_figures
