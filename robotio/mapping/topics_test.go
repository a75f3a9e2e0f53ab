package mapping

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

const (
	topicsFile  = "../../docs/topics.md"
	topicsBegin = "<!-- topics: written by go test ./robotio/mapping -run Reference -update -->\n"
)

// docs/topics.md lists the entries of each profile that ships, and the topics that each level of a camera feeds.
func TestReferenceOfTopicsIsCurrent(t *testing.T) {
	old := must.Get(os.ReadFile(topicsFile))(t)
	prose, _, ok := strings.Cut(string(old), topicsBegin)
	if !ok {
		t.Fatalf("%s has no line %q", topicsFile, strings.TrimSpace(topicsBegin))
	}
	var profiles []*Profile
	for _, name := range ProfileNames() {
		profiles = append(profiles, must.Get(Contents(name))(t))
	}
	want := prose + topicsBegin + levelTable(profiles)
	for _, p := range profiles {
		want += topicTable(t, p)
	}
	if *update {
		must.Do(t, os.WriteFile(topicsFile, []byte(want), 0o644))
	} else if string(old) != want {
		t.Errorf("%s is not current: run go test ./robotio/mapping -run Reference -update", topicsFile)
	}
}

// cameraLevels groups the levels of cameras that feed the same topics.
var cameraLevels = [][]abstraction.Level{{abstraction.Raw, abstraction.Ideal}, {abstraction.Features},
	{abstraction.Objects, abstraction.Truth}}

// levelTable lists the topics that each level of each kind of camera feeds, for each profile.
func levelTable(profiles []*Profile) string {
	var b strings.Builder
	b.WriteString("\n## What a camera's level feeds\n| profile | camera | raw, ideal | features | objects, truth " +
		"|\n| --- | --- | --- | --- | --- |\n")
	for _, p := range profiles {
		for _, kind := range []sensors.Kind{sensors.OmniKind, sensors.CameraKind, sensors.KinectKind,
			sensors.StereoKind} {
			fmt.Fprintf(&b, "| `%s` | `%s` |", p.Name, kind)
			for _, levels := range cameraLevels {
				fmt.Fprintf(&b, " %s |", topicsOrNothing(fedTopics(p, kind, levels)))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func topicsOrNothing(topics []string) string {
	if len(topics) == 0 {
		return "nothing"
	}
	return "`" + strings.Join(topics, "` `") + "`"
}

// fedTopics returns the topics of a kind of camera that all of the levels feed. Topics that only some of them feed are
// marked, which no table should contain.
func fedTopics(p *Profile, kind sensors.Kind, levels []abstraction.Level) (topics []string) {
	for i := range p.Publish {
		e := &p.Publish[i]
		if e.From != quantity.Source(kind) && e.From != quantity.Cameras {
			continue
		}
		fed := func(l abstraction.Level) bool { return e.Levels == nil || l.In(e.Levels) }
		n := 0
		for _, l := range levels {
			if fed(l) {
				n++
			}
		}
		if n == len(levels) && !slices.Contains(topics, e.Topic) {
			topics = append(topics, e.Topic)
		} else if n > 0 && n < len(levels) {
			topics = append(topics, fmt.Sprintf("%s (%v alone)", e.Topic, e.Levels))
		}
	}
	return topics
}

// topicTable lists the entries in a profile's own file.
func topicTable(t *testing.T, p *Profile) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n%s", p.Name, strings.ToUpper(p.About[:1])+p.About[1:])
	if len(p.Include) > 0 {
		fmt.Fprintf(&b, "; with what `%s` has, but for names that stand here", strings.Join(p.Include, "`, `"))
	}
	fmt.Fprintf(&b, ".\n\n| name | of further sensors | type | is | of | at levels | rate | units |\n| --- | --- | "+
		"--- | --- | --- | --- | --- | --- |\n")
	row := func(o Origin, ros msg.Version, name, more, typ, is, of string, levels []abstraction.Level, rate string) {
		if o.Profile != p.Name {
			return
		}
		if ros != 0 {
			typ += " (ROS " + p.Versions(ros) + ")"
		}
		at := "all"
		if levels != nil {
			at = ""
			for i, l := range levels {
				at += map[bool]string{false: ", "}[i == 0] + string(l)
			}
		}
		if of == string(quantity.Robot) || of == string(quantity.World) {
			at = ""
		}
		if more != "" {
			more = "`" + more + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", name, more, typ, is, of, at, rate, o.units)
	}
	for i := range p.Publish {
		e := &p.Publish[i]
		rate := "the sensor's"
		switch {
		case (e.From == quantity.Robot || e.From == quantity.World) && e.Rate == 0:
			rate = "once, latched"
		case (e.From == quantity.Robot || e.From == quantity.World) && e.Rate <= time.Millisecond:
			rate = "every step"
		case e.From == quantity.Robot || e.From == quantity.World:
			rate = fmt.Sprintf("%g Hz", float64(time.Second)/float64(e.Rate))
		}
		row(e.Origin, e.ROS, e.Topic, e.More, e.Type, "published", string(e.From), e.Levels, rate)
	}
	for i := range p.Subscribe {
		s := &p.Subscribe[i]
		row(s.Origin, s.ROS, s.Topic, "", s.Type, "taken", string(s.From), nil, "")
	}
	for i := range p.Replies {
		r := &p.Replies[i]
		row(r.Origin, r.ROS, r.Topic, "", r.Type, "a reply to `"+r.To+"`", "robot", nil, "")
	}
	for i := range p.Services {
		s := &p.Services[i]
		row(s.Origin, s.ROS, s.Name, "", s.Type, "served", s.From, nil, "")
	}
	for i := range p.Calls {
		c := &p.Calls[i]
		row(c.Origin, c.ROS, c.Service, "", c.Type, "called", c.From, nil, "")
	}
	return b.String()
}

// String names the units.
func (u units) String() string {
	length := map[float64]string{1: "m", 100: "cm", 1000: "mm"}[u.perMetre]
	angle := "rad"
	if u.perRadian != 1 {
		angle = "deg"
	}
	return length + ", " + angle
}

// Each level of each kind of camera feeds at least one topic of every profile, except for the known gaps below.
func TestLevelsReachProfiles(t *testing.T) {
	nothing := map[string]bool{} // known gaps: profile, kind and index of levels that feed no topic
	for _, profile := range []string{"gazebo", "map-server"} {
		for _, kind := range []sensors.Kind{"omni", "camera", "kinect", "stereo"} {
			for i := range cameraLevels {
				nothing[fmt.Sprint(profile, kind, i)] = true // the profile has no sensor topics
			}
		}
	}
	// nubot_common has no messages in pixels, and none for images of Kinects and for stereo pairs.
	for _, profile := range []string{"nubot", "nubot-single", "simatch", "hawking", "gazebo-visual"} {
		for _, cell := range []string{"omni1", "camera1", "kinect1", "kinect0", "stereo0", "stereo1", "stereo2"} {
			nothing[profile+cell] = true
		}
	}
	// refbot plays by the results of vision alone.
	for _, cell := range []string{"omni0", "omni1", "camera0", "camera1", "kinect0", "kinect1", "kinect2",
		"stereo0", "stereo1", "stereo2"} {
		nothing["refbot"+cell] = true
	}
	for _, name := range ProfileNames() {
		p, err := Load(name)
		if _, other := errors.AsType[otherVersionError](err); other {
			continue // the profile is for ROS 2 alone
		}
		must.Do(t, err)
		for _, kind := range []sensors.Kind{"omni", "camera", "kinect", "stereo"} {
			for i, levels := range cameraLevels {
				topics := fedTopics(p, kind, levels)
				must.Equal(t, len(topics) == 0, nothing[fmt.Sprint(name, kind, i)],
					"%s, %s at %v feeds %v, want nothing", name, kind, levels, topics)
			}
		}
	}
}

// A world without ball, goals and lines has no topics about them, and all others.
func TestTopicsNeedTheirParts(t *testing.T) {
	text := `name = "w"
		robot = [{ name = "r", model = "nubot", ros1 = { profiles = ["nubot", "standard", "humanoid"] } }]
		`
	parts := []string{"ball", "goal", "line"}
	topics := func(w *worlds.World) (named, others []string) {
		for _, profile := range w.Robots[0].ROS1.Profiles {
			p := must.Get(Load(profile))(t)
			c := must.Get(Compile(p))(t)
			for _, i := range Instances(c.Publications, c.NewContext(w, 0)) {
				about := func(part string) bool { return strings.Contains(strings.ToLower(i.Name), part) }
				if slices.ContainsFunc(parts, about) {
					named = append(named, i.Name)
				} else {
					others = append(others, i.Name)
				}
			}
		}
		return named, others
	}
	named, others := topics(must.Get(worlds.Parse("w.toml", []byte(text)))(t))
	text += "\n[field]\ngoals = false\nlines = false\n[ball]\nabsent = true"
	none, same := topics(must.Get(worlds.Parse("w.toml", []byte(text)))(t))
	must.Equal(t, len(named) > 10, true, "%d topics about ball, goals and lines", len(named))
	must.Equal(t, same, others, "other topics")
	must.Equal(t, none, []string(nil), "topics about what is not there")
}

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
		"estimate for itself. `in_field` is up to 1 m beyond\nthe lines. `motors` is `on`, or `off` while commands have " +
		"switched off the motors of all joints that a robot moves by. `recovery` is `possible` for a robot\n" +
		"whose motors are on and that gets up on its own after a fall to its front and to its back, else " +
		"`impossible`.\nThe members of every list also have `index`, counted from 0.\n\n| from | quantities | texts, times, several numbers, bytes, lists (with the " +
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
	row("cameras at raw, ideal; `depth` and `points` of a `kinect` and a `stereo`; `right`, `stereo` and `disparity` "+
		"of a `stereo`", quantity.Of("stereo", []abstraction.Level{abstraction.Raw}), over)
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
