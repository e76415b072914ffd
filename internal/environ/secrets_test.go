package environ

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the environments of people, containers, CI and clouds have, and commands need. (E17.)
var stay = strings.Fields(`
PATH=/usr/bin:/bin HOME=/home/u USER=u LOGNAME=u SHELL=/bin/bash TERM=xterm-256color COLORTERM=truecolor LANG=de_DE.UTF-8 LANGUAGE=de:en LC_ALL=C LC_CTYPE=C.UTF-8
TMPDIR=/tmp TZ=Europe/Berlin HOSTNAME=h SHLVL=1 DISPLAY=:0 WAYLAND_DISPLAY=wayland-0 XAUTHORITY=/run/user/1000/.xauth XDG_RUNTIME_DIR=/run/user/1000 XDG_CONFIG_HOME=/home/u/.config
XDG_DATA_DIRS=/usr/share XDG_SESSION_ID=2 XDG_SESSION_TYPE=wayland DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus,guid=0af3 SESSION_MANAGER=local/h:@/tmp/.ICE-unix/12,unix/h:/tmp/.ICE-unix/12
GNOME_KEYRING_CONTROL=/run/user/1000/keyring SSH_CONNECTION=10.0.0.1_22 SSH_AGENT_PID=77 LS_COLORS=rs=0:di=01;34:ln=01;36:*.tar=01;31 LESS=-R MANPATH=/usr/man INFOPATH=/usr/info
HTTP_PROXY=http://proxy:3128 HTTPS_PROXY=http://u:hunter2hunter2@proxy:3128 https_proxy=http://u:p@proxy:3128 ALL_PROXY=socks5://proxy:1080 NO_PROXY=localhost,.corp no_proxy=localhost npm_config_https_proxy=http://u:p@proxy
SSL_CERT_FILE=/etc/ssl/ca.pem SSL_CERT_DIR=/etc/ssl/certs REQUESTS_CA_BUNDLE=/etc/ssl/ca.pem CURL_CA_BUNDLE=/etc/ssl/ca.pem NODE_EXTRA_CA_CERTS=/etc/ssl/ca.pem GIT_SSL_CAINFO=/etc/ssl/ca.pem
AWS_CA_BUNDLE=/etc/ssl/ca.pem PIP_CERT=/etc/ssl/ca.pem NIX_SSL_CERT_FILE=/etc/ssl/ca.pem npm_config_cafile=/etc/ssl/ca.pem CARGO_HTTP_CAINFO=/etc/ssl/ca.pem
GOPATH=/home/u/go GOROOT=/usr/lib/go GOFLAGS=-mod=mod GOPROXY=direct GOPRIVATE=example.com/* GOTOOLCHAIN=local GOCACHE=/c CGO_ENABLED=0 CC=gcc CXX=g++ CFLAGS=-O2 LDFLAGS=-s
MAKEFLAGS=-j8 MAVEN_OPTS=-Xmx2g GRADLE_OPTS=-Dorg.gradle.daemon=false JAVA_HOME=/usr/lib/jvm GRADLE_USER_HOME=/g ERL_AFLAGS=-kernel
PYENV_ROOT=/home/u/.pyenv VIRTUAL_ENV=/v CONDA_PREFIX=/c PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8 PYTHONHASHSEED=0 PIP_INDEX_URL=https://pypi.corp/simple POETRY_HOME=/p UV_CACHE_DIR=/u
PYTHON_VERSION=3.13.1 GPG_KEY=7169605F62C751356D054A26A821E680E5FA6305 NODE_VERSION=24.1.0 NVM_DIR=/home/u/.nvm NODE_ENV=production npm_config_registry=https://npm.example.com/
npm_config_init_author_name=u npm_config_user_agent=npm/10 YARN_CACHE_FOLDER=/y GEM_HOME=/g BUNDLE_PATH=/b BUNDLE_BUILD__NOKOGIRI=--use-system-libraries RUSTUP_HOME=/r CARGO_HOME=/c RUST_BACKTRACE=1 RUSTFLAGS=-Dwarnings
CI=true GITHUB_ACTIONS=true GITHUB_REPOSITORY=o/r GITHUB_SHA=0123456789abcdef0123456789abcdef01234567 GITHUB_REF=refs/heads/main RUNNER_OS=Linux GITLAB_CI=true CI_COMMIT_SHA=0123456789abcdef CI_PROJECT_URL=https://gitlab.com/o/r
CI_REGISTRY=images.example.com JENKINS_URL=https://ci.corp/ BUILD_ID=1 CIRCLECI=true TRAVIS_SECURE_ENV_VARS=true BUILD_SOURCEVERSION=ab SONAR_PROJECT_KEY=o_r
OPENAI_BASE_URL=https://api.openai.com/v1 OPENAI_MODEL=gpt-4o-mini ANTHROPIC_MODEL=m TOKENIZERS_PARALLELISM=false MAX_TOKENS=1000 CLAUDE_CODE_MAX_OUTPUT_TOKENS=1000 MAX_THINKING_TOKENS=1000 HF_HOME=/hf HF_HUB_DISABLE_IMPLICIT_TOKEN=1
AWS_REGION=eu-central-1 AWS_PROFILE=dev AWS_ROLE_ARN=arn:aws:iam::1:role/x AWS_SDK_LOAD_CONFIG=1 GOOGLE_CLOUD_PROJECT=p CLOUDSDK_CONFIG=/g AZURE_CLIENT_ID=0-1 AZURE_TENANT_ID=0-1 ARM_SUBSCRIPTION_ID=0-1
KUBECONFIG=/home/u/.kube/config KUBERNETES_SERVICE_HOST=10.0.0.1 TOKEN_SERVICE_HOST=10.0.0.1 TOKEN_SERVICE_SERVICE_PORT=80 REDIS_PORT=tcp://10.0.0.1:6379 DOCKER_HOST=ssh://u@host DOCKER_CONFIG=/d DOCKER_BUILDKIT=1 COMPOSE_PROJECT_NAME=x
PGHOST=h PGUSER=u PGSSLMODE=require POSTGRES_USER=u POSTGRES_HOST_AUTH_METHOD=trust MYSQL_HOST=h JWT_PUBLIC_KEY=-----BEGIN_PUBLIC_KEY----- STRIPE_PUBLISHABLE_KEY=pk_live_51H COOKIECUTTER_CONFIG=/c ENABLE_WEBHOOKS=false
OAUTH_TOKEN_URL=https://login.corp/token K8S_SECRET_NAME=regcred SESSION_COOKIE_NAME=sid JWT_ALGORITHM=RS256 PASSWORD_STORE_DIR=/p GIT_AUTHOR_NAME=u GIT_AUTHOR_EMAIL=u@example.com GIT_COMMITTER_NAME=u GIT_TERMINAL_PROMPT=0
GIT_CONFIG_NOSYSTEM=1 GIT_LFS_SKIP_SMUDGE=1 GIT_CEILING_DIRECTORIES=/home GIT_SSL_NO_VERIFY=0 VSCODE_PID=1 TERM_PROGRAM=vscode WSL_DISTRO_NAME=Ubuntu
`)

const sixteen = "0123456789abcdef"

// What they must not have. (E11, and the names of W-22.)
var secrets = strings.Fields(`
OPENAI_API_KEY=x openai_api_key=x ANTHROPIC_API_KEY=x MISTRAL_API_KEY=x GROQ_API_KEY=x GEMINI_API_KEY=x AZURE_OPENAI_API_KEY=x HF_TOKEN=x HUGGING_FACE_HUB_TOKEN=x WANDB_API_KEY=x LANGCHAIN_API_KEY=x COHERE_APIKEY=x
PYDANTIC_AI_GATEWAY_API_KEY=x ANTHROPIC_AUTH_TOKEN=x ANTHROPIC_CUSTOM_HEADERS=x-api-key:1 OTEL_EXPORTER_OTLP_HEADERS=api-key=1 AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_SESSION_TOKEN=x AWS_SECURITY_TOKEN=x
AWS_WEB_IDENTITY_TOKEN_FILE=/t AWS_SHARED_CREDENTIALS_FILE=/c AWS_CONTAINER_CREDENTIALS_RELATIVE_URI=/v2 AWS_CONTAINER_AUTHORIZATION_TOKEN=x GOOGLE_APPLICATION_CREDENTIALS=/g CLOUDSDK_AUTH_ACCESS_TOKEN=x
AZURE_CLIENT_SECRET=x ARM_CLIENT_SECRET=x ARM_ACCESS_KEY=x AZURE_STORAGE_KEY=x AZURE_STORAGE_CONNECTION_STRING=x AZURE_DEVOPS_EXT_PAT=x SYSTEM_ACCESSTOKEN=x DIGITALOCEAN_ACCESS_TOKEN=x CLOUDFLARE_API_TOKEN=x HCLOUD_TOKEN=x
VAULT_TOKEN=x CONSUL_HTTP_TOKEN=x CONSUL_HTTP_AUTH=u:p TF_TOKEN_app_terraform_io=x TF_VAR_db_password=x PULUMI_CONFIG_PASSPHRASE=x ANSIBLE_VAULT_PASSWORD_FILE=/v SOPS_AGE_KEY=x KUBE_TOKEN=x KUBE_CONFIG_DATA=x
GITHUB_TOKEN=x GH_TOKEN=x GITHUB_PAT=x GITLAB_TOKEN=x CI_JOB_TOKEN=x CI_JOB_JWT=x CI_REGISTRY_PASSWORD=x ACTIONS_RUNTIME_TOKEN=x ACTIONS_ID_TOKEN_REQUEST_URL=u CIRCLE_OIDC_TOKEN=x BUILDKITE_AGENT_ACCESS_TOKEN=x CODECOV_TOKEN=x
SONAR_TOKEN=x NPM_TOKEN=x NODE_AUTH_TOKEN=x npm_config__auth=x npm_config__authToken=x npm_config_//npm.example.com/:_authToken=x NPM_CONFIG__PASSWORD=x YARN_NPM_AUTH_IDENT=x TWINE_PASSWORD=x POETRY_PYPI_TOKEN_PYPI=x POETRY_HTTP_BASIC_X_PASSWORD=x
UV_INDEX_X_PASSWORD=x CARGO_REGISTRY_TOKEN=x GEM_HOST_API_KEY=x BUNDLE_GEMS__CONTRIBSYS__COM=u:p COMPOSER_AUTH={} NuGetPackageSourceCredentials_x=x VSS_NUGET_EXTERNAL_FEED_ENDPOINTS={} ORG_GRADLE_PROJECT_signingKey=x ORG_GRADLE_PROJECT_mavenCentralPassword=x
DOCKER_AUTH_CONFIG={} DOCKER_PASSWORD=x DATABASE_URL=sqlite:///x DATABASE_URL_TEST=x TEST_DB_URL=x PGPASSWORD=x PGPASSFILE=/p MYSQL_PWD=x MYSQL_ROOT_PASSWORD=x DB_PASS=x SNOWSQL_PWD=x REDIS_URL=redis://h REDISCLI_AUTH=x MONGODB_URI=m CELERY_BROKER_URL=b
CLOUDAMQP_URL=a JDBC_DATABASE_URL=j SPRING_DATASOURCE_PASSWORD=x SECRET_KEY_BASE=x DJANGO_SECRET_KEY=x RAILS_MASTER_KEY=x APP_KEY=x ENCRYPTION_KEYS=x AUTH_SALT=x JWT_SIGNING=x SESSION_COOKIE=x SENTRY_DSN=x SLACK_WEBHOOK_URL=x SLACK_BOT_TOKEN=x
STRIPE_SECRET_KEY=x STRIPE_KEY=x TWILIO_AUTH_TOKEN=x SENDGRID_API_KEY=x DD_API_KEY=x NEW_RELIC_LICENSE_KEY=x NGROK_AUTHTOKEN=x TS_AUTHKEY=x GPG_PASSPHRASE=x GPG_PRIVATE_KEY=x SSH_PRIVATE_KEY=x DEPLOY_KEY_B64=x SSH_AUTH_SOCK=/s SSHPASS=x
RESTIC_PASSWORD=x BORG_PASSPHRASE=x RCLONE_CONFIG_PASS=x OP_SESSION_my=x BW_SESSION=x FASTLANE_SESSION=x ETCDCTL_USER=root:x WALLET_MNEMONIC=x HTTP_AUTHORIZATION=x REGISTRY_AUTH_FILE=/a NEXT_PUBLIC_API_KEY=x VSCODE_GIT_IPC_AUTH_TOKEN=x
URL=https://u:p@h/ CI_REPOSITORY_URL=https://gitlab-ci-token:x@gitlab.com/o/r.git GOPROXY=https://u:p@proxy.corp PIP_EXTRA_INDEX_URL=https://u:p@pypi.corp/simple CACHE=rediss://:p@h:6379/0 LIST=a,amqp://u:p@h//v ORIGIN=git+ssh://u:p@h
STORAGE=DefaultEndpointsProtocol=https;AccountName=a;AccountKey=x SQL=Server=h;User=u;Password=x BLOB=https://h/c?sv=1&sig=x UPLOAD=https://s3/x?X-Amz-Signature=ab DSN2=jdbc:postgresql://h/d?user=u&password=x HEADER=Authorization:Bearer_x OPTS=--token=x
A=ghp_0123456789abcdefghijABCDEFGHIJ012345 B=token:github_pat_11ABCDEFG0123456789_abc C=glpat-0123456789abcdefghij D=sk-proj-0123456789abcdefghij E=AKIA0123456789ABCDEF F=AIza0123456789abcdefghijABCDEFGHIJ01234
G=xoxb-0123456789-abcdefghij H=eyJ0123456789abcdefghij0123456789.eyJ0123456789abcdefghij0123456789.sig I=npm_0123456789abcdefghijABCDEFGHIJ012345 J=hf_0123456789abcdefghijABCDEFGHIJ K=https://hooks.slack.com/services/T012/B012/0123456789ab
GPG_KEY=-----BEGIN_PGP_PRIVATE_KEY_BLOCK----- L=PuTTY-User-Key-File-3 M=AGE-SECRET-KEY-1QQ
`)

func TestWhatStaysAndGoes(t *testing.T) {
	asUnix(t)
	if len(stay) < 100 || len(secrets) < 100 {
		t.Errorf("%d, %d", len(stay), len(secrets))
	}
	blanks := strings.NewReplacer("BEGIN_PGP_PRIVATE_KEY_BLOCK", "BEGIN PGP PRIVATE KEY BLOCK", "Bearer_x", " Bearer x", "BEGIN_PUBLIC_KEY", "BEGIN PUBLIC KEY")
	for _, entry := range stay {
		if got := (Plan{Inherit: InheritAll, Host: []string{blanks.Replace(entry)}}).Build(nil); len(got) != 1 {
			t.Errorf("%s is withheld", entry)
		}
	}
	key := base64.StdEncoding.EncodeToString([]byte("-----BEGIN OPENSSH PRIVATE KEY-----\nxyz\n-----END OPENSSH PRIVATE KEY-----\n"))
	for _, entry := range append(secrets, "BASE64="+key, "FOLDED="+key[:20]+"\n"+key[20:]) {
		if got := (Plan{Inherit: InheritAll, Host: []string{blanks.Replace(entry)}}).Build(nil); len(got) > 0 {
			t.Errorf("%s is inherited", entry)
		}
	}
	for _, value := range []string{
		"", "://", "http://h:80/@x", "http://[::1]:80/", "u@h", "git@github.com:o/r.git", "a://b c:d@e", "https://u:@h", "x=1;password=", "task-0123456789abcdefghijklmno", "/x/disk-0123456789abcdefghijkl",
		"sk-learn-and-what-follows-it", "AKIA", "npm_config_x", "eyJhIjoiMDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkifQ", "-----BEGIN CERTIFICATE-----", "LS0tLS1CRUdJTi",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\nxyz")), "authorization:",
	} {
		if privateKey(value) || len(formSecrets(value)) > 0 {
			t.Errorf("%q looks secret", value)
		}
	}
}

// What a review has found: what is to go, with what is to be hidden of it, and what is to stay.
func TestReviewedVariables(t *testing.T) {
	asUnix(t)
	base64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for entry, hidden := range map[string]string{
		"ACTIVE_RECORD_ENCRYPTION_PRIMARY_KEY=abc123def456": "abc123def456", "DETA_PROJECT_KEY=a0x_12345678": "a0x_12345678", "GPG_KEY=not-a-fingerprint": "not-a-fingerprint",
		`KAFKA_SASL=x required username="u" password="hunter2hunter2";`: "hunter2hunter2", "PGCONN=host=h user=u password='hunter2hunter3'": "hunter2hunter3",
		"ODBC=Driver={x};Pwd={hunter2hunter4}": "hunter2hunter4", "SQLCONN=Server=h;Password = hunter2hunter5;": "hunter2hunter5",
		`VCAP_SERVICES={"pg":[{"credentials":{"password":"hunter2hunter6"}}]}`:                                                 "hunter2hunter6",
		"REMOTE=https://ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/o/r.git":                                           "ghp_0123456789abcdefghijABCDEFGHIJ012345",
		"H=Authorization: Bearer abcdefghijk":                                                                                  "abcdefghijk",
		"CONTENT=ca: " + base64("-----BEGIN CERTIFICATE-----\nxy") + "\nkey: " + base64("-----BEGIN RSA PRIVATE KEY-----\nxy"): "",
		"SA=" + base64(`{"type":"service_account","private_key":"-----BEGIN PRIVATE KEY-----\n"}`):                             "",
		"K=sk-proj-0123456789abcdefghijABCDEFGHIJ":                                                                             "sk-proj-0123456789abcdefghijABCDEFGHIJ",
	} {
		p := Plan{Inherit: InheritAll, Host: []string{entry}}
		if got := p.Build(nil); len(got) != 0 {
			t.Errorf("%q is inherited", got)
		}
		if list := p.Secrets(); hidden != "" && !slices.Contains(list, hidden) {
			t.Errorf("%q: hidden are %q", entry, list)
		}
	}
	for _, entry := range []string{
		"PATH=/usr/bin:/bin:/home/u/sk-learn-2024-projects-venv/bin", "HOME=/home/sk-student-0123456789-abc", "HOSTNAME=sk-prod-web-7d9f8b6c5d-x2x4z", "CI_COMMIT_REF_SLUG=sk-1234-fix-login-page-bug",
		"VIRTUAL_ENV=/w/sk-service-backend-2024-env", "BUILDKITE_STEP_KEY=unit-tests", "BUNDLE_GEM__TEST=minitest", "CODEBUILD_WEBHOOK_HEAD_REF=refs/heads/main", "SECRET_DETECTION_EXCLUDED_PATHS=tests/fixtures",
		"TF_STATE_KEY=prod/terraform.tfstate", "API_KEY_SERVICE_PORT_8080_TCP_ADDR=10.0.0.12", "API_KEY_SERVICE_PORT_8080_TCP=tcp://10.0.0.12:8080", "CI_COMMIT_MESSAGE=Read token=abc from the header",
		"BUILDKITE_MESSAGE=fix ?sig=abc handling", "RUST_LOG=info,token=debug", "GPG_KEY=E3FF2839C048B25C084DEBE9B26995E310250568", "JWT_EXPIRES_IN=3600", "SESSION_COOKIE_HTTPONLY=true", "VLLM_CONTEXT_TOKENS=4096",
	} {
		p := Plan{Inherit: InheritAll, Host: []string{entry}}
		if got := p.Build(nil); len(got) != 1 || len(p.Secrets()) != 0 {
			t.Errorf("%q: %q, hidden are %q", entry, got, p.Secrets())
		}
	}
	// Withheld, and nothing that is hidden in all else.
	exists, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(exists)
	for _, entry := range []string{
		"REDIS_URL=redis://localhost:6379", "CELERY_BROKER_URL=redis://redis:6379/0", "MONGODB_URI=mongodb://localhost:27017", "APP_KEY=application", "GOOGLE_APPLICATION_CREDENTIALS=" + filepath.Base(exists),
		"ANSIBLE_PRIVATE_KEY_FILE=~/.ssh/id_ed25519", "SSH_KEY=id_ed25519", "PIN_PASSWORD=48151623",
	} {
		p := Plan{Inherit: InheritAll, Host: []string{entry}}
		if got := p.Build(nil); len(got) != 0 || len(p.Secrets(dir)) != 0 {
			t.Errorf("%q: %q, hidden are %q", entry, got, p.Secrets(dir))
		}
	}
}

// LLMAPIKeyPatterns is the set of case 204, and every pattern has an effect.
func TestPatterns(t *testing.T) {
	asUnix(t)
	if diff := cmp.Diff("ANTHROPIC_* GATEWAY_* GEMINI_* GOOGLE_* OPENAI_* OPENROUTER_* PYDANTIC_AI_GATEWAY_API_KEY", strings.Join(LLMAPIKeyPatterns(), " ")); diff != "" {
		t.Error(diff)
	}
	LLMAPIKeyPatterns()[0], SecretPatterns()[0], SecretExceptions()[0] = "", "", ""
	if !secret("A_TOKEN", "") || secret("TOKEN_HOST", "") {
		t.Error("lists are shared")
	}
	for _, pattern := range SecretPatterns() {
		for _, name := range []string{strings.ReplaceAll(pattern, "*", "q"), strings.ToLower(strings.Trim(pattern, "*"))} {
			if !strings.HasPrefix(name, "_") && !secret(name, "") {
				t.Errorf("%s is no secret", name)
			}
		}
	}
	for _, pattern := range SecretExceptions() {
		matched := false
		for _, family := range []string{"", "TOKEN", "JWT_COOKIE", "Q", "_", "_PASSWORD_"} {
			name := strings.ReplaceAll(pattern, "*", family)
			if secret(name, "") {
				t.Errorf("%s is a secret", name)
			}
			matched = matched || slices.ContainsFunc(secretNames, func(p string) bool { return like(p, name) })
		}
		if !matched {
			t.Errorf("%s is no exception to anything", pattern)
		}
	}
}

func TestSecrets(t *testing.T) {
	asUnix(t)
	file, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pem := "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\r\nshort\n-----END PRIVATE KEY-----"
	for _, tt := range []struct {
		name string
		plan Plan
		host []string
		keep []string
		want []string
	}{
		{"whatever is inherited", Plan{Inherit: InheritNone}, []string{"A_TOKEN=" + sixteen, "B=" + sixteen + "x"}, nil, []string{sixteen}},
		{"by value, with the password", Plan{}, []string{"X=postgres://u:hunter2hunter2@h/d"}, nil, []string{"postgres://u:hunter2hunter2@h/d", "hunter2hunter2"}},
		{"what Deny matches need be no secret", Plan{Inherit: InheritAll, Deny: []string{"MY_*"}}, []string{"MY_VALUE=abcdefgh", "MY_TOKEN=ijklmnop"}, nil, []string{"ijklmnop"}},
		{"KeepSecrets", Plan{Inherit: InheritAll, Deny: []string{"MY_*"}, KeepSecrets: true}, []string{"MY_VALUE=abcdefgh", "TOKEN=abcdefgh"}, nil, nil},
		{"what is set is the host's, too", Plan{Set: map[string]string{"OPENAI_API_KEY": sixteen, "OTHER_KEY": "not the host's"}}, []string{"OPENAI_API_KEY=" + sixteen}, nil, []string{sixteen}},
		{"short", Plan{}, []string{"A_TOKEN=abcdefg", "B_TOKEN=   abcdefg   ", "C_TOKEN="}, nil, nil},
		{"words", Plan{}, []string{"A_TOKEN=password", "A_TOKEN=ChangeMe", "B_TOKEN=development", "C_TOKEN=xxxxxxxxxxxx", "D_TOKEN=1234567890"}, nil, nil},
		{"no words", Plan{}, []string{"D_TOKEN=12345678901", "E_TOKEN=password!"}, nil, []string{"12345678901", "password!"}},
		{"files", Plan{}, []string{"GOOGLE_APPLICATION_CREDENTIALS=" + file, "B_CREDENTIALS=" + file + "x"}, nil, []string{file + "x"}},
		{"handed on", Plan{Inherit: InheritAll}, []string{"DB_PASSWORD=myproject", "URL=https://h/myproject/x", "HTTPS_PROXY=http://u:hunter2hunter2@p", "P_PASSWORD=hunter2hunter2"}, nil, nil},
		{"not handed on", Plan{Inherit: InheritCore}, []string{"DB_PASSWORD=myproject", "URL=https://h/myproject/x"}, nil, []string{"myproject"}},
		{"kept", Plan{}, []string{"DB_PASSWORD=myproject", "A_TOKEN=" + sixteen}, []string{"/home/u/myproject2", ""}, []string{sixteen}},
		{"lines", Plan{}, []string{"K=" + pem + "\n"}, nil, []string{pem, "MIIEvQIBADANBgkqhkiG"}},
		{"lines written as in a string", Plan{}, []string{`K_KEY=-----BEGIN\nMIIEvQIBADANBgkqhkiG\n-----END`}, nil, []string{`-----BEGIN\nMIIEvQIBADANBgkqhkiG\n-----END`, "MIIEvQIBADANBgkqhkiG"}},
		{"once, the longer first, no newline", Plan{}, []string{"A_TOKEN=abcdefgh", "B_TOKEN=abcdefgh\n", "C_TOKEN=abcdefghi", "D_TOKEN=abcdefgg"}, nil, []string{"abcdefghi", "abcdefgg", "abcdefgh"}},
	} {
		tt.plan.Host = tt.host
		if diff := cmp.Diff(tt.want, tt.plan.Secrets(tt.keep...)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
