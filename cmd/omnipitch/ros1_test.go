package main

import "testing"

func TestElsewhere(t *testing.T) {
	for uri, want := range map[string]string{
		"": "", "http://localhost:11311": "", "http://127.0.0.1:11311/": "", "http://[::1]:11311": "",
		"http://robot7:11311": "robot7", "http://192.168.1.20:11311": "192.168.1.20",
	} {
		t.Setenv("ROS_MASTER_URI", uri)
		if got := elsewhere(); got != want {
			t.Errorf("ROS_MASTER_URI=%s: %q, want %q", uri, got, want)
		}
	}
}
