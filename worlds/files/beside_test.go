package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// TestBeside checks that a misspelt path names the file beside it, and that another path names none.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "nubot-attack.toml"), nil, 0o600))
	for name, want := range map[string]string{
		"nubot-atack.toml":      "; did you mean nubot-attack.toml?",
		"another.mcap":          "",
		"none/nubot-atack.toml": "",
	} {
		must.Equal(t, Beside(filepath.Join(dir, name)), want, "%s", name)
		if _, err := Read(filepath.Join(dir, name), 1); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("reading %s: %v, want an error that ends with %q", name, err, want)
		}
	}
}
