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
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

var update = flag.Bool("update", false, "write docs/profiles.md anew")

const (
	referenceFile  = "../../docs/profiles.md"
	referenceBegin = "<!-- reference: written by go test ./robotio/mapping -run Reference -update -->\n"
)

// The tables of keys, quantities and actions in the docs are those of the code.
func TestReferenceIsCurrent(t *testing.T) {
	old, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(old), referenceBegin)
	if !ok {
		t.Fatalf("%s has no line %q", referenceFile, strings.TrimSpace(referenceBegin))
	}
	want := prose + referenceBegin + quantityTables() + actionTable() + keyTables()
	if *update {
		if err := os.WriteFile(referenceFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(old) != want {
		t.Errorf("%s is not current: run go test ./robotio/mapping -run Reference -update", referenceFile)
	}
}

// docs/ros1.md names every topic and service of the profiles that robots have by default.
func TestReferenceNamesTopics(t *testing.T) {
	const file = "../../docs/ros1.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
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
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
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

// quantityTables list all quantities by what a topic is from; those that hold of a wider one are not said again.
func quantityTables() string {
	var b strings.Builder
	b.WriteString("\n## Quantities\nWithout unit: numbers, pixels, seconds, truth values as 0 or 1. `field.` is the " +
		"team's field frame, x towards the opponent's goal; the others\nare in the robot's axes, truth and `models` " +
		"in the world's. `team_robots` are all robots of the team, the robot itself among them: truth at the " +
		"message's\nstamp, but of itself what a camera's robot believes; `in_field` is at most 1 m beyond " +
		"the lines.\nMembers of every list have `index` beside what stands here, from 0 on.\n\n| from | " +
		"quantities | texts, times, several numbers, bytes, lists (with their members' own) |\n| --- " +
		"| --- | --- |\n")
	row := func(title string, q, known *quantities) {
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
			members := shorter(append(fresh(m.Numbers, map[string]number{"index": {}}), fresh(m.Texts, nil)...))
			for _, inner := range fresh(m.Lists, nil) {
				members = append(members,
					"list `"+inner+"` of "+strings.Join(shorter(fresh(m.Lists[inner].Members.Numbers,
						map[string]number{"index": {}})), ", "))
			}
			others = append(others, "list `"+n+"` ("+strings.Join(members, ", ")+")")
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", title, strings.Join(shorter(fresh(q.Numbers, known.Numbers)), ", "),
			strings.Join(others, ", "))
	}
	world, robot := quantitiesOf(fromWorld, nil), quantitiesOf(fromRobot, nil)
	row("everything", world, newQuantities())
	row("`robot`, and every sensor", robot, world)
	lens := quantitiesOf("kinect", nil)
	row("cameras at all levels", lens, robot)
	over := quantitiesOf("kinect", []abstraction.Level{abstraction.Raw, abstraction.Features})
	row("cameras at raw, ideal, features", over, lens)
	row("cameras at raw, ideal; `depth` and `points` of a `kinect`",
		quantitiesOf("kinect", []abstraction.Level{abstraction.Raw}), over)
	row("cameras at features", quantitiesOf("kinect", []abstraction.Level{abstraction.Features}), over)
	row("cameras at objects, truth", quantitiesOf("kinect", []abstraction.Level{abstraction.Objects}), lens)
	for _, kind := range sensors.Kinds() {
		if !kind.TakesImages() {
			row("`"+string(kind)+"`", quantitiesOf(string(kind), nil), robot)
		}
	}
	row("the `answer` of a service", answerQuantities(), newQuantities())
	return b.String()
}

// fresh are the names of q that known lacks, sorted.
func fresh[V any](q, known map[string]V) (names []string) {
	for _, n := range slices.Sorted(maps.Keys(q)) {
		if _, ok := known[n]; !ok {
			names = append(names, n)
		}
	}
	return names
}

// shorter joins names that differ in their last part alone: `ball.` x, y, z.
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
	b.WriteString("\n## What can be done\n| `do` | with | for |\n| --- | --- | --- |\n")
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
