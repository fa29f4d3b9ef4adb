package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

// TestImagesArePinned: the example Dockerfile names its images by digest, and builds with the version of Go that
// go.mod asks for: the image of another would refuse.
func TestImagesArePinned(t *testing.T) {
	text := func(name string) string {
		b, err := os.ReadFile(commandtest.InProject(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	dockerfile := text("Dockerfile")
	images := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(dockerfile, -1)
	pinned := regexp.MustCompile(`^[a-z]+:\S+@sha256:[0-9a-f]{64}$`)
	for _, image := range images {
		if !pinned.MatchString(image[1]) {
			t.Errorf("image %s has no digest", image[1])
		}
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(text("go.mod"))[1]
	if want := "FROM golang:" + version + "-"; !strings.Contains(dockerfile, "\n"+want) || len(images) < 2 {
		t.Errorf("the Dockerfile lacks %s", want)
	}
}
