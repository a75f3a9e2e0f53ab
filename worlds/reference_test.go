package worlds

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
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
		t.Errorf("%s is not what the loader obeys: run go test ./worlds -update", referenceFile)
	}
}

// conditions matches the keys of conditions inside others: they are described once, at the key when of an event.
var conditions = regexp.MustCompile(
	`^(event\[\]\.when\.(all\[\]|any\[\]|not)|expect\[\]\.(eventually|always|never)|require\[\]\.[a-z_]+(\[\])?)\.`)

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
	rows := regexp.MustCompile("(?m)^\\| `([a-z]+)`[^|]* \\| ((?:`[a-z]+`(?:, )?)+) \\|").FindAllStringSubmatch(
		string(text), -1)
	if len(rows) != len(sensors.Kinds()) {
		t.Fatalf("%d kinds: %q", len(rows), rows)
	}
	for _, row := range rows {
		if got, want := strings.ReplaceAll(row[2], "`", ""), sensors.Kind(row[1]).Levels().String(); got != want {
			t.Errorf("%s: got %s, want %s", row[1], got, want)
		}
	}
}
