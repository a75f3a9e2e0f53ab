package worlds

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Worlds that docs/world-files.md shows in full load.
func TestWorldsInTheDocsLoad(t *testing.T) {
	text, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, block := range regexp.MustCompile(`(?m)(^(    .*)?\n)+`).FindAllString(string(text), -1) {
		world := regexp.MustCompile(`(?m)^    `).ReplaceAllString(strings.TrimLeft(block, "\n"), "")
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
	for _, name := range []string{"derby", "two-rows", "halves"} {
		if !names[name] {
			t.Errorf("found %v, but not %s", names, name)
		}
	}
}
