package mapping

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/robotio/quantity"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/must"
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
		p := must.Get(Load(name))(t)
		profiles = append(profiles, p)
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
		for _, kind := range []sensors.Kind{sensors.OmniKind, sensors.CameraKind, sensors.KinectKind} {
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
	row := func(o Origin, name, more, typ, is, of string, levels []abstraction.Level, rate string) {
		if o.Profile != p.Name {
			return
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
		row(e.Origin, e.Topic, e.More, e.Type, "published", string(e.From), e.Levels, rate)
	}
	for i := range p.Subscribe {
		s := &p.Subscribe[i]
		row(s.Origin, s.Topic, "", s.Type, "taken", string(s.From), nil, "")
	}
	for i := range p.Services {
		s := &p.Services[i]
		row(s.Origin, s.Name, "", s.Type, "served", s.From, nil, "")
	}
	for i := range p.Calls {
		c := &p.Calls[i]
		row(c.Origin, c.Service, "", c.Type, "called", c.From, nil, "")
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
	for _, profile := range []string{"gazebo"} {
		for _, kind := range []sensors.Kind{"omni", "camera", "kinect"} {
			for i := range cameraLevels {
				nothing[fmt.Sprint(profile, kind, i)] = true // the profile has no sensor topics
			}
		}
	}
	// nubot_common has no messages in pixels, and none for images of Kinects.
	for _, profile := range []string{"nubot", "nubot-single", "simatch", "hawking", "gazebo-visual"} {
		for _, cell := range []string{"omni1", "camera1", "kinect1", "kinect0"} {
			nothing[profile+cell] = true
		}
	}
	// refbot plays by the results of vision alone.
	for _, cell := range []string{"omni0", "omni1", "camera0", "camera1", "camera2", "kinect0", "kinect1", "kinect2"} {
		nothing["refbot"+cell] = true
	}
	for _, name := range ProfileNames() {
		p := must.Get(Load(name))(t)
		for _, kind := range []sensors.Kind{"omni", "camera", "kinect"} {
			for i, levels := range cameraLevels {
				topics := fedTopics(p, kind, levels)
				must.Equal(t, len(topics) == 0, nothing[fmt.Sprint(name, kind, i)],
					"%s, %s at %v feeds %v, want nothing", name, kind, levels, topics)
			}
		}
	}
}
