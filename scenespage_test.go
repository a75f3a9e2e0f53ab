package omnipitch

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/referee"
)

// All examples in docs/scenes.md run together in one world: its blocks in order, and each condition of its table in an
// event.
func TestScenesPage(t *testing.T) {
	page, err := os.ReadFile("docs/scenes.md")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	others := slices.DeleteFunc(referee.RuleNames(), func(rule string) bool { return rule == "goal" })
	fmt.Fprintf(&text, "referee = \"auto\"\nrules = { kickoff = \"none\", off = [\"%s\"] }\n",
		strings.Join(others, "\", \""))
	var shown []string
	for line := range strings.Lines(string(page)) {
		switch code, ok := strings.CutPrefix(line, "    "); {
		case ok && strings.Contains(code, ": passed at "):
			shown = append(shown, strings.TrimSpace(code))
		case ok:
			text.WriteString(code)
		}
	}
	conditions := regexp.MustCompile("(?m)^\\| `([a-z_]+ = [{\\[].*?[}\\]])` \\|").FindAllStringSubmatch(string(page),
		-1)
	if len(conditions) != 19 {
		t.Fatalf("%d conditions", len(conditions))
	}
	for _, c := range conditions {
		text.WriteString("[[event]]\nwhen = { " + c[1] + ", for_s = 100 }\nplace = { name = \"ball\" }\n")
	}
	// the condition on brightness needs it
	text.WriteString("[[event]]\nat_s = 1000\nset_level = { robot = \"cyan1\", sensor = \"front\", level = \"raw\" }\n")
	world, err := worlds.Parse("scene.toml", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	sim, err := New(world, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	report, err := sim.Run(context.Background(), Pace{For: 5 * time.Second, Speed: timesync.Max})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Verdicts) != 5 {
		t.Errorf("%d verdicts", len(report.Verdicts))
	}
	for _, v := range report.Verdicts {
		if v.Outcome != "passed" {
			t.Error(v)
		}
	}
	if len(shown) != 2 {
		t.Fatalf("%d verdicts are shown", len(shown))
	}
	for i, want := range shown {
		if got := report.Verdicts[i+1].String(); got != want { // after stays_on_the_right
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
