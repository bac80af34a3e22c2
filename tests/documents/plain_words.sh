#!/usr/bin/env bash
# Lowers plain_words.txt to what the build in a folder finds (default: build/release). It raises no
# count: a page or message that got worse stays a failure of the test (plain_words.cpp).
set -euo pipefail
cd "$(dirname "$0")/../.."
LOGDEPTH_LOWER=tests/documents/plain_words.txt \
  "${1:-build/release}/tests/test_documents" --gtest_filter='PlainWords.PagesAndMessagesGetNoWorse'
