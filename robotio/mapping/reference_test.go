package mapping

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var update = flag.Bool("update", false, "rewrite docs/profiles.md")

const (
	referenceFile  = "../../docs/profiles.md"
	referenceBegin = "<!-- reference: written by go test ./robotio/mapping -run Reference -update -->\n"
)

// The tables of keys, quantities and actions in docs/profiles.md match the code.
func TestReferenceIsCurrent(t *testing.T) {
	old := must.Get(os.ReadFile(referenceFile))(t)
	prose, _, ok := strings.Cut(string(old), referenceBegin)
	if !ok {
		t.Fatalf("%s has no line %q", referenceFile, strings.TrimSpace(referenceBegin))
	}
	want := prose + referenceBegin + quantityTables() + actionTable() + keyTables()
	if *update {
		must.Do(t, os.WriteFile(referenceFile, []byte(want), 0o644))
		return
	}
	must.Equal(t, string(old), want, "%s is not current: run go test ./robotio/mapping -run Reference -update",
		referenceFile)
}

// docs/ros1.md names every topic and service of the default profiles.
func TestReferenceNamesTopics(t *testing.T) {
	const file = "../../docs/ros1.md"
	text := must.Get(os.ReadFile(file))(t)
	named := func(topic string) {
		topic = strings.ReplaceAll(topic, "{sensor}", "NAME")
		// after a longer one: `NAME/image_raw`, `…/compressed`
		short := "…" + topic[max(strings.LastIndexByte(topic, '/'), 0):]
		if !strings.Contains(string(text), "`"+topic+"`") && !strings.Contains(string(text), "`"+short+"`") {
			t.Errorf("%s does not name %s", file, topic)
		}
	}
	var r worlds.Robot
	r.SetDefaults()
	for _, name := range r.ROS1.Profiles {
		p := must.Get(Load(name))(t)
		for i := range p.Publish {
			named(p.Publish[i].Topic)
		}
		for i := range p.Subscribe {
			named(p.Subscribe[i].Topic)
		}
		for i := range p.Services {
			named(p.Services[i].Name)
		}
	}
}

// quantityTables lists all quantities by source. A row leaves out the quantities of a wider source in a row above.
func quantityTables() string {
	var b strings.Builder
	b.WriteString("\n## Quantities\nQuantities without a unit are numbers, pixels, seconds, and truth values as 0 or " +
		"1. " +
		"`field.` is the team's field frame, x towards the opponents' goal.\nThe other positions are in the robot's " +
		"axes; those of the truth and of `models` are in the world's. `team_robots` are all robots of the team,\n" +
		"including the robot itself: the truth at the message's stamp, except that a camera's robot uses its own " +
		"estimate for itself. `in_field` is up to 1 m beyond\nthe lines. The members of every list also have " +
		"`index`, counted from 0.\n\n| from | quantities | texts, times, several numbers, bytes, lists (with the " +
		"quantities of their members) |\n| --- | --- | --- |\n")
	row := func(title string, q, known *quantity.Set) {
		var others []string
		for _, n := range fresh(q.Texts, known.Texts) {
			others = append(others, "text `"+n+"`")
		}
		for _, n := range fresh(q.Times, known.Times) {
			others = append(others, "time `"+n+"`")
		}
		for _, n := range fresh(q.Vectors, known.Vectors) {
			others = append(others, "numbers `"+n+"`")
		}
		for _, n := range fresh(q.Blobs, known.Blobs) {
			others = append(others, "bytes `"+n+"`")
		}
		for _, n := range fresh(q.Lists, known.Lists) {
			m := q.Lists[n].Members
			members := shorter(append(fresh(m.Numbers, map[string]quantity.Number{"index": {}}),
				fresh(m.Texts, nil)...))
			for _, inner := range fresh(m.Lists, nil) {
				members = append(members,
					"list `"+inner+"` of "+strings.Join(shorter(fresh(m.Lists[inner].Members.Numbers,
						map[string]quantity.Number{"index": {}})), ", "))
			}
			others = append(others, "list `"+n+"` ("+strings.Join(members, ", ")+")")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", title, strings.Join(shorter(fresh(q.Numbers, known.Numbers)), ", "),
			strings.Join(others, ", "))
	}
	world, robot := quantity.Of(quantity.World, nil), quantity.Of(quantity.Robot, nil)
	row("everything", world, quantity.NewSet())
	row("`robot`, and every sensor", robot, world)
	lens := quantity.Of("kinect", nil)
	row("cameras at all levels", lens, robot)
	over := quantity.Of("kinect", []abstraction.Level{abstraction.Raw, abstraction.Features})
	row("cameras at raw, ideal, features", over, lens)
	row("cameras at raw, ideal; `depth` and `points` of a `kinect`",
		quantity.Of("kinect", []abstraction.Level{abstraction.Raw}), over)
	row("cameras at features", quantity.Of("kinect", []abstraction.Level{abstraction.Features}), over)
	row("cameras at objects, truth", quantity.Of("kinect", []abstraction.Level{abstraction.Objects}), lens)
	for _, kind := range sensors.Kinds() {
		if !kind.TakesImages() {
			row("`"+string(kind)+"`", quantity.Of(quantity.Source(kind), nil), robot)
		}
	}
	row("the `answer` of a service", quantity.OfAnswer(), quantity.NewSet())
	return b.String()
}

// fresh returns the names of q that known lacks, sorted.
func fresh[V any](q, known map[string]V) (names []string) {
	for _, n := range slices.Sorted(maps.Keys(q)) {
		if _, ok := known[n]; !ok {
			names = append(names, n)
		}
	}
	return names
}

// shorter joins names that differ only in their last part: `ball.` x, y, z.
func shorter(names []string) (groups []string) {
	for i := 0; i < len(names); {
		dot := strings.LastIndexByte(names[i], '.')
		k := i
		for k < len(names) && strings.LastIndexByte(names[k], '.') == dot && names[k][:dot+1] == names[i][:dot+1] {
			k++
		}
		var ends []string
		for _, n := range names[i:k] {
			ends = append(ends, n[dot+1:])
		}
		groups = append(groups, "`"+names[i][:dot+1]+strings.Join(ends, "` `")+"`")
		i = k
	}
	return groups
}

func actionTable() string {
	var b strings.Builder
	b.WriteString("\n## Actions\n| `do` | with | for |\n| --- | --- | --- |\n")
	for _, t := range actionTypes() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", t.name, strings.Join(t.names(), ", "), t.doc)
	}
	return b.String()
}

func keyTables() string {
	var b strings.Builder
	var p Profile
	p.SetDefaults()
	b.WriteString("\n## Keys\n| key | type | default | rule | meaning |\n| --- | --- | --- | --- | --- |\n")
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, k := range schema.Describe(&p) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Path, cell(k.Type), cell(k.Default), cell(k.Rule),
			cell(k.Doc))
	}
	return b.String()
}
