package omnipitch

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestArchitectureNamesWhatIsThere checks that the files and folders in docs/architecture.md exist.
func TestArchitectureNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z0-9_]+(?:/[a-z0-9_*.]+)+|[a-z]+\\.go)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 40 {
		t.Fatalf("only %d files and folders are named", len(named))
	}
	for _, n := range named {
		if found, err := filepath.Glob(n[1]); err != nil || len(found) == 0 {
			if found, err = filepath.Glob("sensors/pipeline/" + n[1]); err != nil || len(found) == 0 {
				t.Errorf("%s: there is no such file or folder", n[1])
			}
		}
	}
}
