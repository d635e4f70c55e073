#include "notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const words[16] = {
  "harbour", "lantern", "caf\xc3\xa9", "meadow",  "orchard", "pebble", "quarry", "river",
  "saddle",  "timber",  "violin",   "window", "amber",   "birch",  "cedar",  "dune",
};

// SplitMix64 (Steele, Lea and Flood 2014).
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

static void fill(struct baseline_note *note, size_t index) {
  uint64_t first = mix(index * 2), second = mix(index * 2 + 1);
  snprintf(note->identifier, sizeof note->identifier, "%08X-%04X-4%03X-8%03X-%012llX", (unsigned)(first >> 32),
           (unsigned)(first >> 16 & 0xffff), (unsigned)(first & 0xfff), (unsigned)(second >> 48 & 0xfff),
           (unsigned long long)(second & 0xffffffffffffu));
  snprintf(note->title, sizeof note->title, "Note %08zu, on the desk by the %8.8s", index,
           words[(first >> 8) % 16 == 2 ? 3 : (first >> 8) % 16]);
  for (size_t length = strlen(note->title); length < TITLE_SIZE; length++) note->title[length] = '.';
  size_t length = 0;
  for (uint64_t step = first; length < CONTENT_SIZE; step = mix(step)) {
    const char *word = words[step % 16];
    size_t size = strlen(word);
    if (length + size + 1 > CONTENT_SIZE) break;
    memcpy(note->content + length, word, size);
    note->content[length + size] = ' ';
    length += size + 1;
  }
  memset(note->content + length, '.', CONTENT_SIZE - length);
  note->rating = (int64_t)(second % 6);
  note->edited = (double)(mix(first) % 100000000) / 8;
  note->pinned = second >> 20 & 1;
}

baseline_notes *baseline_notes_create(size_t count) {
  baseline_notes *notes = malloc(sizeof *notes);
  struct baseline_note *all = calloc(count, sizeof *all);
  if (notes == NULL || all == NULL) abort();
  notes->all = all;
  for (size_t index = 0; index < count; index++) fill(&all[index], index);
  return notes;
}

void baseline_notes_destroy(baseline_notes *notes) {
  free(notes->all);
  free(notes);
}

const char *baseline_notes_identifier(const baseline_notes *notes, size_t index) { return notes->all[index].identifier; }
const char *baseline_notes_title(const baseline_notes *notes, size_t index) { return notes->all[index].title; }
const char *baseline_notes_content(const baseline_notes *notes, size_t index) { return notes->all[index].content; }
int64_t baseline_notes_rating(const baseline_notes *notes, size_t index) { return notes->all[index].rating; }
double baseline_notes_edited(const baseline_notes *notes, size_t index) { return notes->all[index].edited; }
bool baseline_notes_pinned(const baseline_notes *notes, size_t index) { return notes->all[index].pinned; }

uint64_t baseline_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
