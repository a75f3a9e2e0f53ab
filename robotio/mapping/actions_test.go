package mapping

import "testing"

// Teams' profiles may use former names of actions.
func TestActionsKeepTheirOldNames(t *testing.T) {
	for old, name := range map[string]string{"aim": "aim_head", "gaze": "set_head_mode", "level": "set_level",
		"drive": "drive"} {
		if got, ok := findAction(old); !ok || got.name != name {
			t.Errorf("%s is %q, want %s", old, got.name, name)
		}
	}
}
