package timesync

import "testing"

func TestParseSpeed(t *testing.T) {
	for in, want := range map[string]Speed{"realtime": RealTime, "max": Max, "steady": Steady, "lockstep": Lockstep,
		"1": RealTime, "0.5": Factor(0.5), "4": Factor(4)} {
		if got, err := ParseSpeed(in); err != nil || got != want {
			t.Errorf("ParseSpeed(%q) = %v, %v", in, got, err)
		} else if back, _ := ParseSpeed(got.String()); back != want {
			t.Errorf("ParseSpeed(%q) = %v after String()", got.String(), back)
		}
	}
	for _, in := range []string{"", "fast", "-1", "0", "NaN", "inf", "1e300"} {
		if _, err := ParseSpeed(in); err == nil {
			t.Errorf("ParseSpeed(%q) succeeded", in)
		}
	}
}
