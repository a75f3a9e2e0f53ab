package worlds

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/action"
)

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
