package tool

import (
	"context"
	"log/slog"
	"os"
	"testing"
)

// What output must not show is known, but for what is told anyway.
func TestSecretsOfShell(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	part := dir[max(0, len(dir)-10):]
	t.Setenv("EINOSHELL_A_TOKEN", "0123-a-token")
	t.Setenv("EINOSHELL_B_PASSWORD", part)
	for _, keep := range []bool{false, true} {
		s, err := New(context.Background(), Config{Dir: dir, Env: EnvConfig{KeepSecrets: keep}, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		const text = "is 0123-a-token"
		if (s.secrets.Hide(text) == text) != keep || s.secrets.Hide(dir) != dir {
			t.Errorf("KeepSecrets %v: %q %q", keep, s.secrets.Hide(text), s.secrets.Hide(dir))
		}
	}
}
