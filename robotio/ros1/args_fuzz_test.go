package ros1

import "testing"

// FuzzArgs: no command line and no environment makes the parser panic, and what it accepts configures a node.
func FuzzArgs(f *testing.F) {
	f.Add("a:=b", "_p:=1", "localhost", "http://127.0.0.1:11311")
	f.Add("__name:=x", "__ns:=/a/b", "", "")
	f.Add("_:=", ":=:=", "[::1", "http://")
	f.Add("~x:=/y", "_rate:=-1e400", "127.0.0.1", "")
	f.Fuzz(func(t *testing.T, one, two, host, master string) {
		env := map[string]string{"ROS_HOSTNAME": host, "ROS_MASTER_URI": master}
		cfg, _, err := ParseArgs([]string{one, two}, func(k string) string { return env[k] })
		if err != nil {
			return
		}
		if cfg.Name == "" {
			cfg.Name = "n"
		}
		if err := cfg.Validate(); err != nil {
			t.Errorf("%q %q %q %q: %v", one, two, host, master, err)
		}
		resolveRemap(cfg.fullName(), cfg.Remap)
	})
}
