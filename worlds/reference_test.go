package worlds

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var update = flag.Bool("update", false, "rewrite docs/world-files.md")

const (
	referenceFile  = "../docs/world-files.md"
	referenceBegin = "<!-- keys: written by go test ./worlds -update -->\n"
)

// The tables of keys in the docs are generated from the tags that the loader obeys.
func TestReferenceIsCurrent(t *testing.T) {
	old := must.Get(os.ReadFile(referenceFile))(t)
	prose, _, ok := strings.Cut(string(old), referenceBegin)
	if !ok {
		t.Fatalf("%s has no line %q", referenceFile, strings.TrimSpace(referenceBegin))
	}
	want := prose + referenceBegin + keyTables()
	if *update {
		must.Do(t, os.WriteFile(referenceFile, []byte(want), 0o644))
		return
	}
	if string(old) != want {
		t.Errorf("%s is not what the loader obeys: run go test ./worlds -run Reference -update", referenceFile)
	}
}

// conditions matches the keys of conditions inside others: they are described once, at the key when of an event.
var conditions = regexp.MustCompile(
	`^(event\[\]\.when\.(all\[\]|any\[\]|not)|expect\[\]\.(eventually|always|never)|` +
		`task\.(success|failure|reward\[\]\.when)|require\[\]\.[a-z_]+(\[\])?)\.`)

// players matches the keys of the action play, which are described at the key player of a robot.
var players = regexp.MustCompile(`^event\[\]\.play\.[a-z_]+\.`)

// keyTables returns one table for each TOML table, in order of appearance.
func keyTables() string {
	w := defaultWorld()
	tables := map[string]*strings.Builder{}
	var order []string
	for _, k := range schema.Describe(&w) {
		if conditions.MatchString(k.Path) || players.MatchString(k.Path) {
			continue
		}
		parent := strings.TrimSuffix(strings.TrimSuffix(k.Path, k.Key), ".")
		b, ok := tables[parent]
		if !ok {
			b = &strings.Builder{}
			tables[parent] = b
			order = append(order, parent)
			title := "Top of the file"
			if parent != "" {
				title = "`" + parent + "`"
			}
			fmt.Fprintf(b, "\n### %s\n| key | type | default | rule | meaning |\n| --- | --- | --- | --- | --- |\n",
				title)
		}
		cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", k.Key, cell(k.Type), cell(k.Default), cell(k.Rule),
			cell(k.Doc))
	}
	var all strings.Builder
	for _, parent := range order {
		all.WriteString(tables[parent].String())
	}
	return all.String()
}

// The table of sensors in the docs names the levels of each kind.
func TestLevelsOfKindsAreCurrent(t *testing.T) {
	text := must.Get(os.ReadFile(referenceFile))(t)
	rows := regexp.MustCompile("(?m)^\\| `([a-z_]+)`[^|]* \\| ((?:`[a-z]+`(?:, )?)+) \\|").FindAllStringSubmatch(
		string(text), -1)
	if len(rows) != len(sensors.Kinds()) {
		t.Fatalf("the table of kinds in %s has %d rows, there are %d kinds: %v", referenceFile, len(rows),
			len(sensors.Kinds()), sensors.Kinds())
	}
	for _, row := range rows {
		must.Equal(t, strings.ReplaceAll(row[2], "`", ""), sensors.Kind(row[1]).Levels().String(), "%s", row[1])
	}
}

// blocks returns the indented blocks of a page.
func blocks(t *testing.T, page string) (all []string) {
	t.Helper()
	text := must.Get(os.ReadFile(page))(t)
	for _, block := range regexp.MustCompile(`(?m)(^(    .*)?\n)+`).FindAllString(string(text), -1) {
		all = append(all, regexp.MustCompile(`(?m)^    `).ReplaceAllString(strings.Trim(block, "\n"), ""))
	}
	return all
}

// Worlds that docs show in full can be loaded.
func TestWorldsInTheDocsLoad(t *testing.T) {
	names := map[string]bool{}
	for _, world := range slices.Concat(blocks(t, referenceFile), blocks(t, "../docs/radio.md")) {
		if !strings.HasPrefix(world, "name = ") {
			continue
		}
		w, err := Parse("docs.toml", []byte(world))
		if err != nil {
			t.Errorf("%v in\n%s", err, world)
			continue
		}
		names[w.Name] = true
	}
	for _, name := range []string{"derby", "two-rows", "halves", "scattered", "told"} {
		if !names[name] {
			t.Errorf("found %v, but not %s", names, name)
		}
	}
}

// Thirty poses of a board, for calibration, take a few lines.
func TestThirtyBoardPosesAreShort(t *testing.T) {
	all := blocks(t, "../docs/calibration.md")
	i := slices.IndexFunc(all, func(block string) bool { return strings.HasPrefix(block, "[[board]]") })
	if i < 0 {
		t.Fatal("no block begins with [[board]]")
	}
	w := must.Get(Parse("docs.toml", []byte("name = \"boards\"\ninclude = [\"nubot-attack\"]\n"+all[i])))(t)
	poses := map[action.PoseInAir]bool{}
	for _, e := range w.Events {
		poses[e.Hang.PoseInAir] = true
	}
	if lines := strings.Count(all[i], "\n") + 1; len(poses) != 30 || lines > 15 {
		t.Errorf("%d poses in %d lines", len(poses), lines)
	}
}

// Worlds of many robots stay short.
func TestShippedWorldsAreShort(t *testing.T) {
	for name, most := range map[string]int{"simatch": 35, "simatch-small": 40, "planar": 55, "ten-robots": 40,
		"calibration-board": 65} {
		text := must.Get(Source(name))(t)
		if lines := bytes.Count(text, []byte("\n")); lines > most {
			t.Errorf("%s has %d lines, at most %d", name, lines, most)
		}
	}
}
