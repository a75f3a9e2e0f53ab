package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/exit"
	"github.com/omnipitch/omnipitch/render/backend"
)

// Runs with images tell what has drawn them, and why; others find nothing out.
func TestRunsTellTheirRenderer(t *testing.T) {
	for _, c := range []struct {
		args string
		want *backend.Choice
	}{
		{"planar", nil},
		{"broken-camera --renderer raycast", &backend.Choice{Name: "raycast", Why: "it was asked for"}},
	} {
		args := append([]string{"run", "--ros1", "off", "--for", "5ms", "--json"}, strings.Fields(c.args)...)
		code, stdout, stderr := command(t, args...)
		var got runSummary
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exit.CodeDone {
			t.Fatalf("%s: exit code %d, %v, %s", c.args, code, err, stderr)
		}
		if (got.Renderer == nil) != (c.want == nil) || c.want != nil && got.Renderer.String() != c.want.String() {
			t.Errorf("%s: renderer %v, want %v", c.args, got.Renderer, c.want)
		}
	}
	const want = "renderer: raycast, since it was asked for\n"
	if code, stdout, stderr := command(t, "test", "broken-camera", "--renderer", "raycast"); code != exit.CodeDone || !strings.Contains(stdout, want) {
		t.Errorf("test: exit code %d, %s%s", code, stdout, stderr)
	}
	if code, _, stderr := command(t, "snapshot", "broken-camera", "--renderer", "raycast", "--out", t.TempDir()); code != exit.CodeDone || !strings.Contains(stderr, want) {
		t.Errorf("snapshot: exit code %d, %s", code, stderr)
	}
}
