#pragma once
#include "CBaseline.h"

enum { IDENTIFIER_SIZE = 36, TITLE_SIZE = 43, CONTENT_SIZE = 200 };

struct baseline_note {
  char identifier[IDENTIFIER_SIZE + 1];
  char title[TITLE_SIZE + 1];
  char content[CONTENT_SIZE + 1];
  bool pinned;
  int64_t rating;
  double edited;
};

struct baseline_notes {
  struct baseline_note *all;
};
